// SPDX-License-Identifier: LGPL-2.1-or-later
// The sum of the numbers that a work group's items have. GROUP_SUMS says what the device has for it
// beyond OpenCL C 1.2: functions of groups, of subgroups, or nothing.

#if GROUP_SUMS == kSubgroupSums
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif

// The sum, in all items, which all call this. `sum` is for one call of a kernel.
uint sum_of_group(uint number, local uint* sum) {
#if GROUP_SUMS == kWholeGroupSums
  return work_group_reduce_add(number);
#else
  if (get_local_id(0) == 0) *sum = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
#if GROUP_SUMS == kSubgroupSums
  const uint of_subgroup = sub_group_reduce_add(number);
  number = get_sub_group_local_id() == 0 ? of_subgroup : 0;
#endif
  if (number != 0) atomic_add(sum, number);
  barrier(CLK_LOCAL_MEM_FENCE);
  return *sum;
#endif
}
