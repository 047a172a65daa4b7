/* SPDX-License-Identifier: MIT */
/*
 * The system calls of x86-64 that have events of their own: the number, the name as the kernel's
 * events have it (newstat is stat()), and the type and the name of each argument as `format`
 * prints them.
 *
 * The rows are those of Linux 6.1 with all system calls.  A system call that is not in this
 * table has only the events raw_syscalls:sys_enter and sys_exit.
 */
#ifndef ULF_RUNTIME_SYSCALL_TABLE_H
#define ULF_RUNTIME_SYSCALL_TABLE_H

/* SYSCALL_TABLE(ROW, ARGS0, ..., ARGS6): ROW(number, name, ARGSn(type, name, ...)) for each system
 * call with n arguments, in the order of the numbers. */
#define SYSCALL_TABLE(ROW, ARGS0, ARGS1, ARGS2, ARGS3, ARGS4, ARGS5, ARGS6)			\
	ROW(0, "read", ARGS3("unsigned int", "fd", "char *", "buf",				\
		"size_t", "count"))								\
	ROW(1, "write", ARGS3("unsigned int", "fd", "const char *", "buf",			\
		"size_t", "count"))								\
	ROW(2, "open", ARGS3("const char *", "filename", "int", "flags",			\
		"umode_t", "mode"))								\
	ROW(3, "close", ARGS1("unsigned int", "fd"))						\
	ROW(4, "newstat", ARGS2("const char *", "filename",					\
		"struct stat *", "statbuf"))							\
	ROW(5, "newfstat", ARGS2("unsigned int", "fd",						\
		"struct stat *", "statbuf"))							\
	ROW(6, "newlstat", ARGS2("const char *", "filename",					\
		"struct stat *", "statbuf"))							\
	ROW(7, "poll", ARGS3("struct pollfd *", "ufds", "unsigned int", "nfds",			\
		"int", "timeout_msecs"))							\
	ROW(8, "lseek", ARGS3("unsigned int", "fd", "off_t", "offset",				\
		"unsigned int", "whence"))							\
	ROW(9, "mmap", ARGS6("unsigned long", "addr", "unsigned long", "len",			\
		"unsigned long", "prot", "unsigned long", "flags",				\
		"unsigned long", "fd", "unsigned long", "off"))					\
	ROW(10, "mprotect", ARGS3("unsigned long", "start", "size_t", "len",			\
		"unsigned long", "prot"))							\
	ROW(11, "munmap", ARGS2("unsigned long", "addr", "size_t", "len"))			\
	ROW(12, "brk", ARGS1("unsigned long", "brk"))						\
	ROW(13, "rt_sigaction", ARGS4("int", "sig",						\
		"const struct sigaction *", "act", "struct sigaction *", "oact",		\
		"size_t", "sigsetsize"))							\
	ROW(14, "rt_sigprocmask", ARGS4("int", "how", "sigset_t *", "nset",			\
		"sigset_t *", "oset", "size_t", "sigsetsize"))					\
	ROW(15, "rt_sigreturn", ARGS0())							\
	ROW(16, "ioctl", ARGS3("unsigned int", "fd", "unsigned int", "cmd",			\
		"unsigned long", "arg"))							\
	ROW(17, "pread64", ARGS4("unsigned int", "fd", "char *", "buf",				\
		"size_t", "count", "loff_t", "pos"))						\
	ROW(18, "pwrite64", ARGS4("unsigned int", "fd", "const char *", "buf",			\
		"size_t", "count", "loff_t", "pos"))						\
	ROW(19, "readv", ARGS3("unsigned long", "fd",						\
		"const struct iovec *", "vec", "unsigned long", "vlen"))			\
	ROW(20, "writev", ARGS3("unsigned long", "fd",						\
		"const struct iovec *", "vec", "unsigned long", "vlen"))			\
	ROW(21, "access", ARGS2("const char *", "filename", "int", "mode"))			\
	ROW(22, "pipe", ARGS1("int *", "fildes"))						\
	ROW(23, "select", ARGS5("int", "n", "fd_set *", "inp",					\
		"fd_set *", "outp", "fd_set *", "exp",						\
		"struct __kernel_old_timeval *", "tvp"))					\
	ROW(24, "sched_yield", ARGS0())								\
	ROW(25, "mremap", ARGS5("unsigned long", "addr",					\
		"unsigned long", "old_len", "unsigned long", "new_len",				\
		"unsigned long", "flags", "unsigned long", "new_addr"))				\
	ROW(26, "msync", ARGS3("unsigned long", "start", "size_t", "len",			\
		"int", "flags"))								\
	ROW(27, "mincore", ARGS3("unsigned long", "start", "size_t", "len",			\
		"unsigned char *", "vec"))							\
	ROW(28, "madvise", ARGS3("unsigned long", "start", "size_t", "len_in",			\
		"int", "behavior"))								\
	ROW(29, "shmget", ARGS3("key_t", "key", "size_t", "size",				\
		"int", "shmflg"))								\
	ROW(30, "shmat", ARGS3("int", "shmid", "char *", "shmaddr",				\
		"int", "shmflg"))								\
	ROW(31, "shmctl", ARGS3("int", "shmid", "int", "cmd",					\
		"struct shmid_ds *", "buf"))							\
	ROW(32, "dup", ARGS1("unsigned int", "fildes"))						\
	ROW(33, "dup2", ARGS2("unsigned int", "oldfd", "unsigned int", "newfd"))		\
	ROW(34, "pause", ARGS0())								\
	ROW(35, "nanosleep", ARGS2("struct __kernel_timespec *", "rqtp",			\
		"struct __kernel_timespec *", "rmtp"))						\
	ROW(36, "getitimer", ARGS2("int", "which",						\
		"struct __kernel_old_itimerval *", "value"))					\
	ROW(37, "alarm", ARGS1("unsigned int", "seconds"))					\
	ROW(38, "setitimer", ARGS3("int", "which",						\
		"struct __kernel_old_itimerval *", "value",					\
		"struct __kernel_old_itimerval *", "ovalue"))					\
	ROW(39, "getpid", ARGS0())								\
	ROW(40, "sendfile64", ARGS4("int", "out_fd", "int", "in_fd",				\
		"loff_t *", "offset", "size_t", "count"))					\
	ROW(41, "socket", ARGS3("int", "family", "int", "type",					\
		"int", "protocol"))								\
	ROW(42, "connect", ARGS3("int", "fd", "struct sockaddr *", "uservaddr",			\
		"int", "addrlen"))								\
	ROW(43, "accept", ARGS3("int", "fd",							\
		"struct sockaddr *", "upeer_sockaddr", "int *", "upeer_addrlen"))		\
	ROW(44, "sendto", ARGS6("int", "fd", "void *", "buff", "size_t", "len",			\
		"unsigned int", "flags", "struct sockaddr *", "addr",				\
		"int", "addr_len"))								\
	ROW(45, "recvfrom", ARGS6("int", "fd", "void *", "ubuf",				\
		"size_t", "size", "unsigned int", "flags",					\
		"struct sockaddr *", "addr", "int *", "addr_len"))				\
	ROW(46, "sendmsg", ARGS3("int", "fd", "struct user_msghdr *", "msg",			\
		"unsigned int", "flags"))							\
	ROW(47, "recvmsg", ARGS3("int", "fd", "struct user_msghdr *", "msg",			\
		"unsigned int", "flags"))							\
	ROW(48, "shutdown", ARGS2("int", "fd", "int", "how"))					\
	ROW(49, "bind", ARGS3("int", "fd", "struct sockaddr *", "umyaddr",			\
		"int", "addrlen"))								\
	ROW(50, "listen", ARGS2("int", "fd", "int", "backlog"))					\
	ROW(51, "getsockname", ARGS3("int", "fd",						\
		"struct sockaddr *", "usockaddr", "int *", "usockaddr_len"))			\
	ROW(52, "getpeername", ARGS3("int", "fd",						\
		"struct sockaddr *", "usockaddr", "int *", "usockaddr_len"))			\
	ROW(53, "socketpair", ARGS4("int", "family", "int", "type",				\
		"int", "protocol", "int *", "usockvec"))					\
	ROW(54, "setsockopt", ARGS5("int", "fd", "int", "level",				\
		"int", "optname", "char *", "optval", "int", "optlen"))				\
	ROW(55, "getsockopt", ARGS5("int", "fd", "int", "level",				\
		"int", "optname", "char *", "optval", "int *", "optlen"))			\
	ROW(56, "clone", ARGS5("unsigned long", "clone_flags",					\
		"unsigned long", "newsp", "int *", "parent_tidptr",				\
		"int *", "child_tidptr", "unsigned long", "tls"))				\
	ROW(57, "fork", ARGS0())								\
	ROW(58, "vfork", ARGS0())								\
	ROW(59, "execve", ARGS3("const char *", "filename",					\
		"const char *const *", "argv", "const char *const *", "envp"))			\
	ROW(60, "exit", ARGS1("int", "error_code"))						\
	ROW(61, "wait4", ARGS4("pid_t", "upid", "int *", "stat_addr",				\
		"int", "options", "struct rusage *", "ru"))					\
	ROW(62, "kill", ARGS2("pid_t", "pid", "int", "sig"))					\
	ROW(63, "newuname", ARGS1("struct new_utsname *", "name"))				\
	ROW(64, "semget", ARGS3("key_t", "key", "int", "nsems", "int", "semflg"))		\
	ROW(65, "semop", ARGS3("int", "semid", "struct sembuf *", "tsops",			\
		"unsigned", "nsops"))								\
	ROW(66, "semctl", ARGS4("int", "semid", "int", "semnum", "int", "cmd",			\
		"unsigned long", "arg"))							\
	ROW(67, "shmdt", ARGS1("char *", "shmaddr"))						\
	ROW(68, "msgget", ARGS2("key_t", "key", "int", "msgflg"))				\
	ROW(69, "msgsnd", ARGS4("int", "msqid", "struct msgbuf *", "msgp",			\
		"size_t", "msgsz", "int", "msgflg"))						\
	ROW(70, "msgrcv", ARGS5("int", "msqid", "struct msgbuf *", "msgp",			\
		"size_t", "msgsz", "long", "msgtyp", "int", "msgflg"))				\
	ROW(71, "msgctl", ARGS3("int", "msqid", "int", "cmd",					\
		"struct msqid_ds *", "buf"))							\
	ROW(72, "fcntl", ARGS3("unsigned int", "fd", "unsigned int", "cmd",			\
		"unsigned long", "arg"))							\
	ROW(73, "flock", ARGS2("unsigned int", "fd", "unsigned int", "cmd"))			\
	ROW(74, "fsync", ARGS1("unsigned int", "fd"))						\
	ROW(75, "fdatasync", ARGS1("unsigned int", "fd"))					\
	ROW(76, "truncate", ARGS2("const char *", "path", "long", "length"))			\
	ROW(77, "ftruncate", ARGS2("unsigned int", "fd", "off_t", "length"))			\
	ROW(78, "getdents", ARGS3("unsigned int", "fd",						\
		"struct linux_dirent *", "dirent", "unsigned int", "count"))			\
	ROW(79, "getcwd", ARGS2("char *", "buf", "unsigned long", "size"))			\
	ROW(80, "chdir", ARGS1("const char *", "filename"))					\
	ROW(81, "fchdir", ARGS1("unsigned int", "fd"))						\
	ROW(82, "rename", ARGS2("const char *", "oldname",					\
		"const char *", "newname"))							\
	ROW(83, "mkdir", ARGS2("const char *", "pathname", "umode_t", "mode"))			\
	ROW(84, "rmdir", ARGS1("const char *", "pathname"))					\
	ROW(85, "creat", ARGS2("const char *", "pathname", "umode_t", "mode"))			\
	ROW(86, "link", ARGS2("const char *", "oldname",					\
		"const char *", "newname"))							\
	ROW(87, "unlink", ARGS1("const char *", "pathname"))					\
	ROW(88, "symlink", ARGS2("const char *", "oldname",					\
		"const char *", "newname"))							\
	ROW(89, "readlink", ARGS3("const char *", "path", "char *", "buf",			\
		"int", "bufsiz"))								\
	ROW(90, "chmod", ARGS2("const char *", "filename", "umode_t", "mode"))			\
	ROW(91, "fchmod", ARGS2("unsigned int", "fd", "umode_t", "mode"))			\
	ROW(92, "chown", ARGS3("const char *", "filename", "uid_t", "user",			\
		"gid_t", "group"))								\
	ROW(93, "fchown", ARGS3("unsigned int", "fd", "uid_t", "user",				\
		"gid_t", "group"))								\
	ROW(94, "lchown", ARGS3("const char *", "filename", "uid_t", "user",			\
		"gid_t", "group"))								\
	ROW(95, "umask", ARGS1("int", "mask"))							\
	ROW(96, "gettimeofday", ARGS2("struct __kernel_old_timeval *", "tv",			\
		"struct timezone *", "tz"))							\
	ROW(97, "getrlimit", ARGS2("unsigned int", "resource",					\
		"struct rlimit *", "rlim"))							\
	ROW(98, "getrusage", ARGS2("int", "who", "struct rusage *", "ru"))			\
	ROW(99, "sysinfo", ARGS1("struct sysinfo *", "info"))					\
	ROW(100, "times", ARGS1("struct tms *", "tbuf"))					\
	ROW(101, "ptrace", ARGS4("long", "request", "long", "pid",				\
		"unsigned long", "addr", "unsigned long", "data"))				\
	ROW(102, "getuid", ARGS0())								\
	ROW(103, "syslog", ARGS3("int", "type", "char *", "buf", "int", "len"))			\
	ROW(104, "getgid", ARGS0())								\
	ROW(105, "setuid", ARGS1("uid_t", "uid"))						\
	ROW(106, "setgid", ARGS1("gid_t", "gid"))						\
	ROW(107, "geteuid", ARGS0())								\
	ROW(108, "getegid", ARGS0())								\
	ROW(109, "setpgid", ARGS2("pid_t", "pid", "pid_t", "pgid"))				\
	ROW(110, "getppid", ARGS0())								\
	ROW(111, "getpgrp", ARGS0())								\
	ROW(112, "setsid", ARGS0())								\
	ROW(113, "setreuid", ARGS2("uid_t", "ruid", "uid_t", "euid"))				\
	ROW(114, "setregid", ARGS2("gid_t", "rgid", "gid_t", "egid"))				\
	ROW(115, "getgroups", ARGS2("int", "gidsetsize", "gid_t *", "grouplist"))		\
	ROW(116, "setgroups", ARGS2("int", "gidsetsize", "gid_t *", "grouplist"))		\
	ROW(117, "setresuid", ARGS3("uid_t", "ruid", "uid_t", "euid",				\
		"uid_t", "suid"))								\
	ROW(118, "getresuid", ARGS3("uid_t *", "ruidp", "uid_t *", "euidp",			\
		"uid_t *", "suidp"))								\
	ROW(119, "setresgid", ARGS3("gid_t", "rgid", "gid_t", "egid",				\
		"gid_t", "sgid"))								\
	ROW(120, "getresgid", ARGS3("gid_t *", "rgidp", "gid_t *", "egidp",			\
		"gid_t *", "sgidp"))								\
	ROW(121, "getpgid", ARGS1("pid_t", "pid"))						\
	ROW(122, "setfsuid", ARGS1("uid_t", "uid"))						\
	ROW(123, "setfsgid", ARGS1("gid_t", "gid"))						\
	ROW(124, "getsid", ARGS1("pid_t", "pid"))						\
	ROW(125, "capget", ARGS2("cap_user_header_t", "header",					\
		"cap_user_data_t", "dataptr"))							\
	ROW(126, "capset", ARGS2("cap_user_header_t", "header",					\
		"const cap_user_data_t", "data"))						\
	ROW(127, "rt_sigpending", ARGS2("sigset_t *", "uset",					\
		"size_t", "sigsetsize"))							\
	ROW(128, "rt_sigtimedwait", ARGS4("const sigset_t *", "uthese",				\
		"siginfo_t *", "uinfo",								\
		"const struct __kernel_timespec *", "uts",					\
		"size_t", "sigsetsize"))							\
	ROW(129, "rt_sigqueueinfo", ARGS3("pid_t", "pid", "int", "sig",				\
		"siginfo_t *", "uinfo"))							\
	ROW(130, "rt_sigsuspend", ARGS2("sigset_t *", "unewset",				\
		"size_t", "sigsetsize"))							\
	ROW(131, "sigaltstack", ARGS2("const stack_t *", "uss",					\
		"stack_t *", "uoss"))								\
	ROW(132, "utime", ARGS2("char *", "filename",						\
		"struct utimbuf *", "times"))							\
	ROW(133, "mknod", ARGS3("const char *", "filename", "umode_t", "mode",			\
		"unsigned", "dev"))								\
	ROW(135, "personality", ARGS1("unsigned int", "personality"))				\
	ROW(136, "ustat", ARGS2("unsigned", "dev", "struct ustat *", "ubuf"))			\
	ROW(137, "statfs", ARGS2("const char *", "pathname",					\
		"struct statfs *", "buf"))							\
	ROW(138, "fstatfs", ARGS2("unsigned int", "fd", "struct statfs *", "buf"))		\
	ROW(139, "sysfs", ARGS3("int", "option", "unsigned long", "arg1",			\
		"unsigned long", "arg2"))							\
	ROW(140, "getpriority", ARGS2("int", "which", "int", "who"))				\
	ROW(141, "setpriority", ARGS3("int", "which", "int", "who",				\
		"int", "niceval"))								\
	ROW(142, "sched_setparam", ARGS2("pid_t", "pid",					\
		"struct sched_param *", "param"))						\
	ROW(143, "sched_getparam", ARGS2("pid_t", "pid",					\
		"struct sched_param *", "param"))						\
	ROW(144, "sched_setscheduler", ARGS3("pid_t", "pid", "int", "policy",			\
		"struct sched_param *", "param"))						\
	ROW(145, "sched_getscheduler", ARGS1("pid_t", "pid"))					\
	ROW(146, "sched_get_priority_max", ARGS1("int", "policy"))				\
	ROW(147, "sched_get_priority_min", ARGS1("int", "policy"))				\
	ROW(148, "sched_rr_get_interval", ARGS2("pid_t", "pid",					\
		"struct __kernel_timespec *", "interval"))					\
	ROW(149, "mlock", ARGS2("unsigned long", "start", "size_t", "len"))			\
	ROW(150, "munlock", ARGS2("unsigned long", "start", "size_t", "len"))			\
	ROW(151, "mlockall", ARGS1("int", "flags"))						\
	ROW(152, "munlockall", ARGS0())								\
	ROW(153, "vhangup", ARGS0())								\
	ROW(154, "modify_ldt", ARGS3("int", "func", "void *", "ptr",				\
		"unsigned long", "bytecount"))							\
	ROW(155, "pivot_root", ARGS2("const char *", "new_root",				\
		"const char *", "put_old"))							\
	ROW(157, "prctl", ARGS5("int", "option", "unsigned long", "arg2",			\
		"unsigned long", "arg3", "unsigned long", "arg4",				\
		"unsigned long", "arg5"))							\
	ROW(158, "arch_prctl", ARGS2("int", "option", "unsigned long", "arg2"))			\
	ROW(159, "adjtimex", ARGS1("struct __kernel_timex *", "txc_p"))				\
	ROW(160, "setrlimit", ARGS2("unsigned int", "resource",					\
		"struct rlimit *", "rlim"))							\
	ROW(161, "chroot", ARGS1("const char *", "filename"))					\
	ROW(162, "sync", ARGS0())								\
	ROW(163, "acct", ARGS1("const char *", "name"))						\
	ROW(164, "settimeofday", ARGS2("struct __kernel_old_timeval *", "tv",			\
		"struct timezone *", "tz"))							\
	ROW(165, "mount", ARGS5("char *", "dev_name", "char *", "dir_name",			\
		"char *", "type", "unsigned long", "flags", "void *", "data"))			\
	ROW(166, "umount", ARGS2("char *", "name", "int", "flags"))				\
	ROW(167, "swapon", ARGS2("const char *", "specialfile",					\
		"int", "swap_flags"))								\
	ROW(168, "swapoff", ARGS1("const char *", "specialfile"))				\
	ROW(169, "reboot", ARGS4("int", "magic1", "int", "magic2",				\
		"unsigned int", "cmd", "void *", "arg"))					\
	ROW(170, "sethostname", ARGS2("char *", "name", "int", "len"))				\
	ROW(171, "setdomainname", ARGS2("char *", "name", "int", "len"))			\
	ROW(172, "iopl", ARGS1("unsigned int", "level"))					\
	ROW(173, "ioperm", ARGS3("unsigned long", "from", "unsigned long", "num",		\
		"int", "turn_on"))								\
	ROW(175, "init_module", ARGS3("void *", "umod", "unsigned long", "len",			\
		"const char *", "uargs"))							\
	ROW(176, "delete_module", ARGS2("const char *", "name_user",				\
		"unsigned int", "flags"))							\
	ROW(179, "quotactl", ARGS4("unsigned int", "cmd",					\
		"const char *", "special", "qid_t", "id", "void *", "addr"))			\
	ROW(186, "gettid", ARGS0())								\
	ROW(187, "readahead", ARGS3("int", "fd", "loff_t", "offset",				\
		"size_t", "count"))								\
	ROW(188, "setxattr", ARGS5("const char *", "pathname",					\
		"const char *", "name", "const void *", "value",				\
		"size_t", "size", "int", "flags"))						\
	ROW(189, "lsetxattr", ARGS5("const char *", "pathname",					\
		"const char *", "name", "const void *", "value",				\
		"size_t", "size", "int", "flags"))						\
	ROW(190, "fsetxattr", ARGS5("int", "fd", "const char *", "name",			\
		"const void *", "value", "size_t", "size", "int", "flags"))			\
	ROW(191, "getxattr", ARGS4("const char *", "pathname",					\
		"const char *", "name", "void *", "value", "size_t", "size"))			\
	ROW(192, "lgetxattr", ARGS4("const char *", "pathname",					\
		"const char *", "name", "void *", "value", "size_t", "size"))			\
	ROW(193, "fgetxattr", ARGS4("int", "fd", "const char *", "name",			\
		"void *", "value", "size_t", "size"))						\
	ROW(194, "listxattr", ARGS3("const char *", "pathname", "char *", "list",		\
		"size_t", "size"))								\
	ROW(195, "llistxattr", ARGS3("const char *", "pathname",				\
		"char *", "list", "size_t", "size"))						\
	ROW(196, "flistxattr", ARGS3("int", "fd", "char *", "list",				\
		"size_t", "size"))								\
	ROW(197, "removexattr", ARGS2("const char *", "pathname",				\
		"const char *", "name"))							\
	ROW(198, "lremovexattr", ARGS2("const char *", "pathname",				\
		"const char *", "name"))							\
	ROW(199, "fremovexattr", ARGS2("int", "fd", "const char *", "name"))			\
	ROW(200, "tkill", ARGS2("pid_t", "pid", "int", "sig"))					\
	ROW(201, "time", ARGS1("__kernel_old_time_t *", "tloc"))				\
	ROW(202, "futex", ARGS6("u32 *", "uaddr", "int", "op", "u32", "val",			\
		"const struct __kernel_timespec *", "utime", "u32 *", "uaddr2",			\
		"u32", "val3"))									\
	ROW(203, "sched_setaffinity", ARGS3("pid_t", "pid",					\
		"unsigned int", "len", "unsigned long *", "user_mask_ptr"))			\
	ROW(204, "sched_getaffinity", ARGS3("pid_t", "pid",					\
		"unsigned int", "len", "unsigned long *", "user_mask_ptr"))			\
	ROW(206, "io_setup", ARGS2("unsigned", "nr_events",					\
		"aio_context_t *", "ctxp"))							\
	ROW(207, "io_destroy", ARGS1("aio_context_t", "ctx"))					\
	ROW(208, "io_getevents", ARGS5("aio_context_t", "ctx_id",				\
		"long", "min_nr", "long", "nr", "struct io_event *", "events",			\
		"struct __kernel_timespec *", "timeout"))					\
	ROW(209, "io_submit", ARGS3("aio_context_t", "ctx_id", "long", "nr",			\
		"struct iocb * *", "iocbpp"))							\
	ROW(210, "io_cancel", ARGS3("aio_context_t", "ctx_id",					\
		"struct iocb *", "iocb", "struct io_event *", "result"))			\
	ROW(213, "epoll_create", ARGS1("int", "size"))						\
	ROW(216, "remap_file_pages", ARGS5("unsigned long", "start",				\
		"unsigned long", "size", "unsigned long", "prot",				\
		"unsigned long", "pgoff", "unsigned long", "flags"))				\
	ROW(217, "getdents64", ARGS3("unsigned int", "fd",					\
		"struct linux_dirent64 *", "dirent", "unsigned int", "count"))			\
	ROW(218, "set_tid_address", ARGS1("int *", "tidptr"))					\
	ROW(219, "restart_syscall", ARGS0())							\
	ROW(220, "semtimedop", ARGS4("int", "semid", "struct sembuf *", "tsops",		\
		"unsigned int", "nsops",							\
		"const struct __kernel_timespec *", "timeout"))					\
	ROW(221, "fadvise64", ARGS4("int", "fd", "loff_t", "offset",				\
		"size_t", "len", "int", "advice"))						\
	ROW(222, "timer_create", ARGS3("const clockid_t", "which_clock",			\
		"struct sigevent *", "timer_event_spec",					\
		"timer_t *", "created_timer_id"))						\
	ROW(223, "timer_settime", ARGS4("timer_t", "timer_id", "int", "flags",			\
		"const struct __kernel_itimerspec *", "new_setting",				\
		"struct __kernel_itimerspec *", "old_setting"))					\
	ROW(224, "timer_gettime", ARGS2("timer_t", "timer_id",					\
		"struct __kernel_itimerspec *", "setting"))					\
	ROW(225, "timer_getoverrun", ARGS1("timer_t", "timer_id"))				\
	ROW(226, "timer_delete", ARGS1("timer_t", "timer_id"))					\
	ROW(227, "clock_settime", ARGS2("const clockid_t", "which_clock",			\
		"const struct __kernel_timespec *", "tp"))					\
	ROW(228, "clock_gettime", ARGS2("const clockid_t", "which_clock",			\
		"struct __kernel_timespec *", "tp"))						\
	ROW(229, "clock_getres", ARGS2("const clockid_t", "which_clock",			\
		"struct __kernel_timespec *", "tp"))						\
	ROW(230, "clock_nanosleep", ARGS4("const clockid_t", "which_clock",			\
		"int", "flags", "const struct __kernel_timespec *", "rqtp",			\
		"struct __kernel_timespec *", "rmtp"))						\
	ROW(231, "exit_group", ARGS1("int", "error_code"))					\
	ROW(232, "epoll_wait", ARGS4("int", "epfd",						\
		"struct epoll_event *", "events", "int", "maxevents",				\
		"int", "timeout"))								\
	ROW(233, "epoll_ctl", ARGS4("int", "epfd", "int", "op", "int", "fd",			\
		"struct epoll_event *", "event"))						\
	ROW(234, "tgkill", ARGS3("pid_t", "tgid", "pid_t", "pid", "int", "sig"))		\
	ROW(235, "utimes", ARGS2("char *", "filename",						\
		"struct __kernel_old_timeval *", "utimes"))					\
	ROW(237, "mbind", ARGS6("unsigned long", "start", "unsigned long", "len",		\
		"unsigned long", "mode", "const unsigned long *", "nmask",			\
		"unsigned long", "maxnode", "unsigned int", "flags"))				\
	ROW(238, "set_mempolicy", ARGS3("int", "mode",						\
		"const unsigned long *", "nmask", "unsigned long", "maxnode"))			\
	ROW(239, "get_mempolicy", ARGS5("int *", "policy",					\
		"unsigned long *", "nmask", "unsigned long", "maxnode",				\
		"unsigned long", "addr", "unsigned long", "flags"))				\
	ROW(240, "mq_open", ARGS4("const char *", "u_name", "int", "oflag",			\
		"umode_t", "mode", "struct mq_attr *", "u_attr"))				\
	ROW(241, "mq_unlink", ARGS1("const char *", "u_name"))					\
	ROW(242, "mq_timedsend", ARGS5("mqd_t", "mqdes",					\
		"const char *", "u_msg_ptr", "size_t", "msg_len",				\
		"unsigned int", "msg_prio",							\
		"const struct __kernel_timespec *", "u_abs_timeout"))				\
	ROW(243, "mq_timedreceive", ARGS5("mqd_t", "mqdes",					\
		"char *", "u_msg_ptr", "size_t", "msg_len",					\
		"unsigned int *", "u_msg_prio",							\
		"const struct __kernel_timespec *", "u_abs_timeout"))				\
	ROW(244, "mq_notify", ARGS2("mqd_t", "mqdes",						\
		"const struct sigevent *", "u_notification"))					\
	ROW(245, "mq_getsetattr", ARGS3("mqd_t", "mqdes",					\
		"const struct mq_attr *", "u_mqstat",						\
		"struct mq_attr *", "u_omqstat"))						\
	ROW(246, "kexec_load", ARGS4("unsigned long", "entry",					\
		"unsigned long", "nr_segments",							\
		"struct kexec_segment *", "segments", "unsigned long", "flags"))		\
	ROW(247, "waitid", ARGS5("int", "which", "pid_t", "upid",				\
		"struct siginfo *", "infop", "int", "options",					\
		"struct rusage *", "ru"))							\
	ROW(248, "add_key", ARGS5("const char *", "_type",					\
		"const char *", "_description", "const void *", "_payload",			\
		"size_t", "plen", "key_serial_t", "ringid"))					\
	ROW(249, "request_key", ARGS4("const char *", "_type",					\
		"const char *", "_description", "const char *", "_callout_info",		\
		"key_serial_t", "destringid"))							\
	ROW(250, "keyctl", ARGS5("int", "option", "unsigned long", "arg2",			\
		"unsigned long", "arg3", "unsigned long", "arg4",				\
		"unsigned long", "arg5"))							\
	ROW(251, "ioprio_set", ARGS3("int", "which", "int", "who",				\
		"int", "ioprio"))								\
	ROW(252, "ioprio_get", ARGS2("int", "which", "int", "who"))				\
	ROW(253, "inotify_init", ARGS0())							\
	ROW(254, "inotify_add_watch", ARGS3("int", "fd",					\
		"const char *", "pathname", "u32", "mask"))					\
	ROW(255, "inotify_rm_watch", ARGS2("int", "fd", "__s32", "wd"))				\
	ROW(256, "migrate_pages", ARGS4("pid_t", "pid",						\
		"unsigned long", "maxnode", "const unsigned long *", "old_nodes",		\
		"const unsigned long *", "new_nodes"))						\
	ROW(257, "openat", ARGS4("int", "dfd", "const char *", "filename",			\
		"int", "flags", "umode_t", "mode"))						\
	ROW(258, "mkdirat", ARGS3("int", "dfd", "const char *", "pathname",			\
		"umode_t", "mode"))								\
	ROW(259, "mknodat", ARGS4("int", "dfd", "const char *", "filename",			\
		"umode_t", "mode", "unsigned int", "dev"))					\
	ROW(260, "fchownat", ARGS5("int", "dfd", "const char *", "filename",			\
		"uid_t", "user", "gid_t", "group", "int", "flag"))				\
	ROW(261, "futimesat", ARGS3("int", "dfd", "const char *", "filename",			\
		"struct __kernel_old_timeval *", "utimes"))					\
	ROW(262, "newfstatat", ARGS4("int", "dfd", "const char *", "filename",			\
		"struct stat *", "statbuf", "int", "flag"))					\
	ROW(263, "unlinkat", ARGS3("int", "dfd", "const char *", "pathname",			\
		"int", "flag"))									\
	ROW(264, "renameat", ARGS4("int", "olddfd", "const char *", "oldname",			\
		"int", "newdfd", "const char *", "newname"))					\
	ROW(265, "linkat", ARGS5("int", "olddfd", "const char *", "oldname",			\
		"int", "newdfd", "const char *", "newname", "int", "flags"))			\
	ROW(266, "symlinkat", ARGS3("const char *", "oldname", "int", "newdfd",			\
		"const char *", "newname"))							\
	ROW(267, "readlinkat", ARGS4("int", "dfd", "const char *", "pathname",			\
		"char *", "buf", "int", "bufsiz"))						\
	ROW(268, "fchmodat", ARGS3("int", "dfd", "const char *", "filename",			\
		"umode_t", "mode"))								\
	ROW(269, "faccessat", ARGS3("int", "dfd", "const char *", "filename",			\
		"int", "mode"))									\
	ROW(270, "pselect6", ARGS6("int", "n", "fd_set *", "inp",				\
		"fd_set *", "outp", "fd_set *", "exp",						\
		"struct __kernel_timespec *", "tsp", "void *", "sig"))				\
	ROW(271, "ppoll", ARGS5("struct pollfd *", "ufds",					\
		"unsigned int", "nfds", "struct __kernel_timespec *", "tsp",			\
		"const sigset_t *", "sigmask", "size_t", "sigsetsize"))				\
	ROW(272, "unshare", ARGS1("unsigned long", "unshare_flags"))				\
	ROW(273, "set_robust_list", ARGS2("struct robust_list_head *", "head",			\
		"size_t", "len"))								\
	ROW(274, "get_robust_list", ARGS3("int", "pid",						\
		"struct robust_list_head * *", "head_ptr", "size_t *", "len_ptr"))		\
	ROW(275, "splice", ARGS6("int", "fd_in", "loff_t *", "off_in",				\
		"int", "fd_out", "loff_t *", "off_out", "size_t", "len",			\
		"unsigned int", "flags"))							\
	ROW(276, "tee", ARGS4("int", "fdin", "int", "fdout", "size_t", "len",			\
		"unsigned int", "flags"))							\
	ROW(277, "sync_file_range", ARGS4("int", "fd", "loff_t", "offset",			\
		"loff_t", "nbytes", "unsigned int", "flags"))					\
	ROW(278, "vmsplice", ARGS4("int", "fd", "const struct iovec *", "uiov",			\
		"unsigned long", "nr_segs", "unsigned int", "flags"))				\
	ROW(279, "move_pages", ARGS6("pid_t", "pid", "unsigned long", "nr_pages",		\
		"const void * *", "pages", "const int *", "nodes",				\
		"int *", "status", "int", "flags"))						\
	ROW(280, "utimensat", ARGS4("int", "dfd", "const char *", "filename",			\
		"struct __kernel_timespec *", "utimes", "int", "flags"))			\
	ROW(281, "epoll_pwait", ARGS6("int", "epfd",						\
		"struct epoll_event *", "events", "int", "maxevents",				\
		"int", "timeout", "const sigset_t *", "sigmask",				\
		"size_t", "sigsetsize"))							\
	ROW(282, "signalfd", ARGS3("int", "ufd", "sigset_t *", "user_mask",			\
		"size_t", "sizemask"))								\
	ROW(283, "timerfd_create", ARGS2("int", "clockid", "int", "flags"))			\
	ROW(284, "eventfd", ARGS1("unsigned int", "count"))					\
	ROW(285, "fallocate", ARGS4("int", "fd", "int", "mode",					\
		"loff_t", "offset", "loff_t", "len"))						\
	ROW(286, "timerfd_settime", ARGS4("int", "ufd", "int", "flags",				\
		"const struct __kernel_itimerspec *", "utmr",					\
		"struct __kernel_itimerspec *", "otmr"))					\
	ROW(287, "timerfd_gettime", ARGS2("int", "ufd",						\
		"struct __kernel_itimerspec *", "otmr"))					\
	ROW(288, "accept4", ARGS4("int", "fd",							\
		"struct sockaddr *", "upeer_sockaddr", "int *", "upeer_addrlen",		\
		"int", "flags"))								\
	ROW(289, "signalfd4", ARGS4("int", "ufd", "sigset_t *", "user_mask",			\
		"size_t", "sizemask", "int", "flags"))						\
	ROW(290, "eventfd2", ARGS2("unsigned int", "count", "int", "flags"))			\
	ROW(291, "epoll_create1", ARGS1("int", "flags"))					\
	ROW(292, "dup3", ARGS3("unsigned int", "oldfd", "unsigned int", "newfd",		\
		"int", "flags"))								\
	ROW(293, "pipe2", ARGS2("int *", "fildes", "int", "flags"))				\
	ROW(294, "inotify_init1", ARGS1("int", "flags"))					\
	ROW(295, "preadv", ARGS5("unsigned long", "fd",						\
		"const struct iovec *", "vec", "unsigned long", "vlen",				\
		"unsigned long", "pos_l", "unsigned long", "pos_h"))				\
	ROW(296, "pwritev", ARGS5("unsigned long", "fd",					\
		"const struct iovec *", "vec", "unsigned long", "vlen",				\
		"unsigned long", "pos_l", "unsigned long", "pos_h"))				\
	ROW(297, "rt_tgsigqueueinfo", ARGS4("pid_t", "tgid", "pid_t", "pid",			\
		"int", "sig", "siginfo_t *", "uinfo"))						\
	ROW(298, "perf_event_open", ARGS5("struct perf_event_attr *", "attr_uptr",		\
		"pid_t", "pid", "int", "cpu", "int", "group_fd",				\
		"unsigned long", "flags"))							\
	ROW(299, "recvmmsg", ARGS5("int", "fd", "struct mmsghdr *", "mmsg",			\
		"unsigned int", "vlen", "unsigned int", "flags",				\
		"struct __kernel_timespec *", "timeout"))					\
	ROW(300, "fanotify_init", ARGS2("unsigned int", "flags",				\
		"unsigned int", "event_f_flags"))						\
	ROW(301, "fanotify_mark", ARGS5("int", "fanotify_fd",					\
		"unsigned int", "flags", "__u64", "mask", "int", "dfd",				\
		"const char *", "pathname"))							\
	ROW(302, "prlimit64", ARGS4("pid_t", "pid", "unsigned int", "resource",			\
		"const struct rlimit64 *", "new_rlim",						\
		"struct rlimit64 *", "old_rlim"))						\
	ROW(303, "name_to_handle_at", ARGS5("int", "dfd", "const char *", "name",		\
		"struct file_handle *", "handle", "int *", "mnt_id",				\
		"int", "flag"))									\
	ROW(304, "open_by_handle_at", ARGS3("int", "mountdirfd",				\
		"struct file_handle *", "handle", "int", "flags"))				\
	ROW(305, "clock_adjtime", ARGS2("const clockid_t", "which_clock",			\
		"struct __kernel_timex *", "utx"))						\
	ROW(306, "syncfs", ARGS1("int", "fd"))							\
	ROW(307, "sendmmsg", ARGS4("int", "fd", "struct mmsghdr *", "mmsg",			\
		"unsigned int", "vlen", "unsigned int", "flags"))				\
	ROW(308, "setns", ARGS2("int", "fd", "int", "flags"))					\
	ROW(309, "getcpu", ARGS3("unsigned *", "cpup", "unsigned *", "nodep",			\
		"struct getcpu_cache *", "unused"))						\
	ROW(310, "process_vm_readv", ARGS6("pid_t", "pid",					\
		"const struct iovec *", "lvec", "unsigned long", "liovcnt",			\
		"const struct iovec *", "rvec", "unsigned long", "riovcnt",			\
		"unsigned long", "flags"))							\
	ROW(311, "process_vm_writev", ARGS6("pid_t", "pid",					\
		"const struct iovec *", "lvec", "unsigned long", "liovcnt",			\
		"const struct iovec *", "rvec", "unsigned long", "riovcnt",			\
		"unsigned long", "flags"))							\
	ROW(312, "kcmp", ARGS5("pid_t", "pid1", "pid_t", "pid2", "int", "type",			\
		"unsigned long", "idx1", "unsigned long", "idx2"))				\
	ROW(313, "finit_module", ARGS3("int", "fd", "const char *", "uargs",			\
		"int", "flags"))								\
	ROW(314, "sched_setattr", ARGS3("pid_t", "pid",						\
		"struct sched_attr *", "uattr", "unsigned int", "flags"))			\
	ROW(315, "sched_getattr", ARGS4("pid_t", "pid",						\
		"struct sched_attr *", "uattr", "unsigned int", "usize",			\
		"unsigned int", "flags"))							\
	ROW(316, "renameat2", ARGS5("int", "olddfd", "const char *", "oldname",			\
		"int", "newdfd", "const char *", "newname",					\
		"unsigned int", "flags"))							\
	ROW(317, "seccomp", ARGS3("unsigned int", "op", "unsigned int", "flags",		\
		"void *", "uargs"))								\
	ROW(318, "getrandom", ARGS3("char *", "ubuf", "size_t", "len",				\
		"unsigned int", "flags"))							\
	ROW(319, "memfd_create", ARGS2("const char *", "uname",					\
		"unsigned int", "flags"))							\
	ROW(320, "kexec_file_load", ARGS5("int", "kernel_fd", "int", "initrd_fd",		\
		"unsigned long", "cmdline_len", "const char *", "cmdline_ptr",			\
		"unsigned long", "flags"))							\
	ROW(321, "bpf", ARGS3("int", "cmd", "union bpf_attr *", "uattr",			\
		"unsigned int", "size"))							\
	ROW(322, "execveat", ARGS5("int", "fd", "const char *", "filename",			\
		"const char *const *", "argv", "const char *const *", "envp",			\
		"int", "flags"))								\
	ROW(323, "userfaultfd", ARGS1("int", "flags"))						\
	ROW(324, "membarrier", ARGS3("int", "cmd", "unsigned int", "flags",			\
		"int", "cpu_id"))								\
	ROW(325, "mlock2", ARGS3("unsigned long", "start", "size_t", "len",			\
		"int", "flags"))								\
	ROW(326, "copy_file_range", ARGS6("int", "fd_in", "loff_t *", "off_in",			\
		"int", "fd_out", "loff_t *", "off_out", "size_t", "len",			\
		"unsigned int", "flags"))							\
	ROW(327, "preadv2", ARGS6("unsigned long", "fd",					\
		"const struct iovec *", "vec", "unsigned long", "vlen",				\
		"unsigned long", "pos_l", "unsigned long", "pos_h",				\
		"rwf_t", "flags"))								\
	ROW(328, "pwritev2", ARGS6("unsigned long", "fd",					\
		"const struct iovec *", "vec", "unsigned long", "vlen",				\
		"unsigned long", "pos_l", "unsigned long", "pos_h",				\
		"rwf_t", "flags"))								\
	ROW(329, "pkey_mprotect", ARGS4("unsigned long", "start",				\
		"size_t", "len", "unsigned long", "prot", "int", "pkey"))			\
	ROW(330, "pkey_alloc", ARGS2("unsigned long", "flags",					\
		"unsigned long", "init_val"))							\
	ROW(331, "pkey_free", ARGS1("int", "pkey"))						\
	ROW(332, "statx", ARGS5("int", "dfd", "const char *", "filename",			\
		"unsigned", "flags", "unsigned int", "mask",					\
		"struct statx *", "buffer"))							\
	ROW(333, "io_pgetevents", ARGS6("aio_context_t", "ctx_id",				\
		"long", "min_nr", "long", "nr", "struct io_event *", "events",			\
		"struct __kernel_timespec *", "timeout",					\
		"const struct __aio_sigset *", "usig"))						\
	ROW(334, "rseq", ARGS4("struct rseq *", "rseq", "u32", "rseq_len",			\
		"int", "flags", "u32", "sig"))							\
	ROW(424, "pidfd_send_signal", ARGS4("int", "pidfd", "int", "sig",			\
		"siginfo_t *", "info", "unsigned int", "flags"))				\
	ROW(425, "io_uring_setup", ARGS2("u32", "entries",					\
		"struct io_uring_params *", "params"))						\
	ROW(426, "io_uring_enter", ARGS6("unsigned int", "fd",					\
		"u32", "to_submit", "u32", "min_complete", "u32", "flags",			\
		"const void *", "argp", "size_t", "argsz"))					\
	ROW(427, "io_uring_register", ARGS4("unsigned int", "fd",				\
		"unsigned int", "opcode", "void *", "arg",					\
		"unsigned int", "nr_args"))							\
	ROW(428, "open_tree", ARGS3("int", "dfd", "const char *", "filename",			\
		"unsigned", "flags"))								\
	ROW(429, "move_mount", ARGS5("int", "from_dfd",						\
		"const char *", "from_pathname", "int", "to_dfd",				\
		"const char *", "to_pathname", "unsigned int", "flags"))			\
	ROW(430, "fsopen", ARGS2("const char *", "_fs_name",					\
		"unsigned int", "flags"))							\
	ROW(431, "fsconfig", ARGS5("int", "fd", "unsigned int", "cmd",				\
		"const char *", "_key", "const void *", "_value", "int", "aux"))		\
	ROW(432, "fsmount", ARGS3("int", "fs_fd", "unsigned int", "flags",			\
		"unsigned int", "attr_flags"))							\
	ROW(433, "fspick", ARGS3("int", "dfd", "const char *", "path",				\
		"unsigned int", "flags"))							\
	ROW(434, "pidfd_open", ARGS2("pid_t", "pid", "unsigned int", "flags"))			\
	ROW(435, "clone3", ARGS2("struct clone_args *", "uargs",				\
		"size_t", "size"))								\
	ROW(436, "close_range", ARGS3("unsigned int", "fd",					\
		"unsigned int", "max_fd", "unsigned int", "flags"))				\
	ROW(437, "openat2", ARGS4("int", "dfd", "const char *", "filename",			\
		"struct open_how *", "how", "size_t", "usize"))					\
	ROW(438, "pidfd_getfd", ARGS3("int", "pidfd", "int", "fd",				\
		"unsigned int", "flags"))							\
	ROW(439, "faccessat2", ARGS4("int", "dfd", "const char *", "filename",			\
		"int", "mode", "int", "flags"))							\
	ROW(440, "process_madvise", ARGS5("int", "pidfd",					\
		"const struct iovec *", "vec", "size_t", "vlen",				\
		"int", "behavior", "unsigned int", "flags"))					\
	ROW(441, "epoll_pwait2", ARGS6("int", "epfd",						\
		"struct epoll_event *", "events", "int", "maxevents",				\
		"const struct __kernel_timespec *", "timeout",					\
		"const sigset_t *", "sigmask", "size_t", "sigsetsize"))				\
	ROW(442, "mount_setattr", ARGS5("int", "dfd", "const char *", "path",			\
		"unsigned int", "flags", "struct mount_attr *", "uattr",			\
		"size_t", "usize"))								\
	ROW(443, "quotactl_fd", ARGS4("unsigned int", "fd",					\
		"unsigned int", "cmd", "qid_t", "id", "void *", "addr"))			\
	ROW(444, "landlock_create_ruleset", ARGS3(						\
		"const struct landlock_ruleset_attr *const", "attr",				\
		"const size_t", "size", "const __u32", "flags"))				\
	ROW(445, "landlock_add_rule", ARGS4("const int", "ruleset_fd",				\
		"const enum landlock_rule_type", "rule_type",					\
		"const void *const", "rule_attr", "const __u32", "flags"))			\
	ROW(446, "landlock_restrict_self", ARGS2("const int", "ruleset_fd",			\
		"const __u32", "flags"))							\
	ROW(447, "memfd_secret", ARGS1("unsigned int", "flags"))				\
	ROW(448, "process_mrelease", ARGS2("int", "pidfd",					\
		"unsigned int", "flags"))							\
	ROW(449, "futex_waitv", ARGS5("struct futex_waitv *", "waiters",			\
		"unsigned int", "nr_futexes", "unsigned int", "flags",				\
		"struct __kernel_timespec *", "timeout", "clockid_t", "clockid"))		\
	ROW(450, "set_mempolicy_home_node", ARGS4("unsigned long", "start",			\
		"unsigned long", "len", "unsigned long", "home_node",				\
		"unsigned long", "flags"))

#endif
