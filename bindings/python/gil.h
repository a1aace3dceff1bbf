// SPDX-License-Identifier: LGPL-2.1-or-later
// Work that other Python threads need not wait for.
#pragma once

#include <Python.h>
#include <unistd.h>

namespace python {

/// Runs a function, which must not throw, without the GIL, and returns what it returns.
///
/// While the interpreter ends, a daemon thread does not get the GIL back: Python up to 3.13 ends
/// the thread by unwinding its stack, which would destroy Python objects without the GIL, and which
/// aborts the process in a destructor, such as that of py::gil_scoped_release. Here the thread
/// stays where it is until the process ends, as with Python 3.14.
template <class Function>
auto without_gil(Function function) {
  PyThreadState* const thread = PyEval_SaveThread();
  const auto result = function();
  try {
    PyEval_RestoreThread(thread);
  } catch (...) {  // the unwinding of pthread_exit(), which must not be left
    for (;;) pause();
  }
  return result;
}

}  // namespace python
