// SPDX-License-Identifier: LGPL-2.1-or-later
/// Tells ThreadSanitizer, which does not see into GLib and GStreamer, how their threads are
/// ordered.
///
/// A library to preload. Each function here wraps the function of its name. GLib's recursive
/// mutexes and read-write locks use pthreads, which ThreadSanitizer knows; GLib has its own mutexes
/// and conditions. Calls within a library do not come here: for example, g_cond_wait() unlocks its
/// mutex itself.
#include <dlfcn.h>
#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

#undef g_object_unref
#undef g_once_init_enter
#undef g_once_init_leave

/// The function `name` that this library wraps.
#define NEXT(name) \
  static auto* const next = reinterpret_cast<decltype(&name)>(dlsym(RTLD_NEXT, #name))

#define EXPORT extern "C" __attribute__((visibility("default")))

// ---- mutexes and conditions ----

EXPORT void g_mutex_lock(GMutex* mutex) {
  NEXT(g_mutex_lock);
  next(mutex);
  __tsan_acquire(mutex);
}

EXPORT gboolean g_mutex_trylock(GMutex* mutex) {
  NEXT(g_mutex_trylock);
  const gboolean is_locked = next(mutex);
  if (is_locked) __tsan_acquire(mutex);
  return is_locked;
}

EXPORT void g_mutex_unlock(GMutex* mutex) {
  NEXT(g_mutex_unlock);
  __tsan_release(mutex);
  next(mutex);
}

EXPORT void g_cond_wait(GCond* cond, GMutex* mutex) {
  NEXT(g_cond_wait);
  __tsan_release(mutex);
  next(cond, mutex);
  __tsan_acquire(mutex);
}

EXPORT gboolean g_cond_wait_until(GCond* cond, GMutex* mutex, gint64 end_time) {
  NEXT(g_cond_wait_until);
  __tsan_release(mutex);
  const gboolean is_signaled = next(cond, mutex, end_time);
  __tsan_acquire(mutex);
  return is_signaled;
}

// ---- initialization ----

EXPORT gboolean g_once_init_enter(volatile void* location) {
  NEXT(g_once_init_enter);
  const gboolean is_first = next(location);
  __tsan_acquire(const_cast<void*>(location));
  return is_first;
}

EXPORT void g_once_init_leave(volatile void* location, gsize result) {
  NEXT(g_once_init_leave);
  __tsan_release(const_cast<void*>(location));
  next(location, result);
}

// ---- queues ----

EXPORT void g_async_queue_push(GAsyncQueue* queue, gpointer data) {
  NEXT(g_async_queue_push);
  __tsan_release(queue);
  next(queue, data);
}

EXPORT gpointer g_async_queue_pop(GAsyncQueue* queue) {
  NEXT(g_async_queue_pop);
  gpointer data = next(queue);
  __tsan_acquire(queue);
  return data;
}

EXPORT gpointer g_async_queue_try_pop(GAsyncQueue* queue) {
  NEXT(g_async_queue_try_pop);
  gpointer data = next(queue);
  __tsan_acquire(queue);
  return data;
}

EXPORT gpointer g_async_queue_timeout_pop(GAsyncQueue* queue, guint64 timeout) {
  NEXT(g_async_queue_timeout_pop);
  gpointer data = next(queue, timeout);
  __tsan_acquire(queue);
  return data;
}

// ---- references ---- Giving up a reference follows its holder's work, and the end of the object
// follows them all.

EXPORT void g_object_unref(gpointer object) {
  NEXT(g_object_unref);
  __tsan_release(object);
  __tsan_acquire(object);
  next(object);
}

EXPORT void gst_mini_object_unref(GstMiniObject* object) {
  NEXT(gst_mini_object_unref);
  GstBufferPool* pool = GST_IS_BUFFER(object) ? GST_BUFFER(object)->pool : nullptr;
  if (pool != nullptr) __tsan_release(pool);
  __tsan_release(object);
  __tsan_acquire(object);
  next(object);
}

/// A pool gives buffers that other threads have returned.
EXPORT GstFlowReturn gst_buffer_pool_acquire_buffer(GstBufferPool* pool, GstBuffer** buffer,
                                                    GstBufferPoolAcquireParams* params) {
  NEXT(gst_buffer_pool_acquire_buffer);
  const GstFlowReturn flow = next(pool, buffer, params);
  __tsan_acquire(pool);
  return flow;
}

#ifdef ONE_PROCESSOR
namespace tbb::detail::r1 {

/// The number of processors that oneTBB sees. ThreadSanitizer would not know oneTBB's own threads.
__attribute__((visibility("default"))) int numa_default_concurrency(int) { return 1; }

}  // namespace tbb::detail::r1
#endif
