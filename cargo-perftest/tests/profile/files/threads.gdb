[New LWP 4713]
[Thread debugging using libthread_db enabled]
0x00007f3a11 in poll () from /lib/libc.so.6

Thread 2 (Thread 0x7f3a (LWP 4713) "worker"):
#0  0x00007f3a11 in poll (fds=0x7ffe, nfds=1, timeout=-1) at ../sysdeps/unix/sysv/linux/poll.c:29
#1  0x000055d5c3 in mio::poll::Poll::poll (self=0x7ffe, events=0x7ffd) at src/poll.rs:340
#2  <alloc::boxed::Box<F,A> as core::ops::function::FnOnce<(A, B)>>::call_once (self=..., args=()) at library/alloc/src/boxed.rs:2007
#3  0x0000000000 in ?? ()
Backtrace stopped: previous frame identical to this frame (corrupt stack?)

Thread 1 (Thread 0x7f39 (LWP 4712) "server"):
#0  0x00007f3a12 in __futex_abstimed_wait_common64 () from /lib/libc.so.6
#1  std::thread::JoinHandle<T>::join () at library/std/src/thread/mod.rs:1
#2  server::main () at src/main.rs:9
[Inferior 1 (process 4712) detached]

Thread 2 (Thread 0x7f3a (LWP 4713)):
#0  0x00007f3a11 in poll () from /lib/libc.so.6

Thread 1 (Thread 0x7f39 (LWP 4712) "server"):
#0  0x00007f3a12 in __futex_abstimed_wait_common64 () from /lib/libc.so.6
#1  std::thread::JoinHandle<T>::join () at library/std/src/thread/mod.rs:1
#2  server::main () at src/main.rs:9
