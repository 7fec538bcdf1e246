/**
 * A seccomp filter as bubblewrap loads it: a program of the kernel's packet filter that sees the
 * number and the arguments of each system call. What it does not name is allowed; the kernel
 * remembers which calls always are, so that `read` and `write` cost nothing more.
 */

interface Machine {
  /** AUDIT_ARCH_* of the kernel. */
  readonly audit: number;
  /** Calls of the x32 variant begin here: they would go round the numbers below. */
  readonly variantFrom?: number;
  readonly clone: number;
  readonly ioctl: number;
  readonly unshare: number;
  readonly denied: readonly number[];
}

/** Numbers that all architectures share, since they came after the kernel unified its table. */
const clone3 = 435;
const unified = {
  io_uring_setup: 425,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  pidfd_getfd: 438,
  mount_setattr: 442,
};

const machines: Readonly<Partial<Record<string, Machine>>> = {
  x64: {
    audit: 0xc000003e,
    variantFrom: 0x40000000,
    clone: 56,
    ioctl: 16,
    unshare: 272,
    denied: Object.values({
      ...unified,
      ptrace: 101,
      syslog: 103,
      vhangup: 153,
      pivot_root: 155,
      chroot: 161,
      acct: 163,
      settimeofday: 164,
      mount: 165,
      umount2: 166,
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      sethostname: 170,
      setdomainname: 171,
      iopl: 172,
      ioperm: 173,
      init_module: 175,
      delete_module: 176,
      quotactl: 179,
      lookup_dcookie: 212,
      clock_settime: 227,
      kexec_load: 246,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      perf_event_open: 298,
      open_by_handle_at: 304,
      setns: 308,
      process_vm_readv: 310,
      process_vm_writev: 311,
      kcmp: 312,
      finit_module: 313,
      kexec_file_load: 320,
      bpf: 321,
      userfaultfd: 323,
    }),
  },
  arm64: {
    audit: 0xc00000b7,
    clone: 220,
    ioctl: 29,
    unshare: 97,
    denied: Object.values({
      ...unified,
      lookup_dcookie: 18,
      umount2: 39,
      mount: 40,
      pivot_root: 41,
      chroot: 51,
      vhangup: 58,
      quotactl: 60,
      acct: 89,
      kexec_load: 104,
      init_module: 105,
      delete_module: 106,
      clock_settime: 112,
      syslog: 116,
      ptrace: 117,
      reboot: 142,
      sethostname: 161,
      setdomainname: 162,
      settimeofday: 170,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      swapon: 224,
      swapoff: 225,
      perf_event_open: 241,
      open_by_handle_at: 265,
      setns: 268,
      process_vm_readv: 270,
      process_vm_writev: 271,
      kcmp: 272,
      finit_module: 273,
      bpf: 280,
      userfaultfd: 282,
      kexec_file_load: 294,
    }),
  },
};

/** Every CLONE_NEW* flag: a namespace of its own would give a program capabilities in it. */
const newNamespaces = 0x7e020080;
/** Puts characters into the input of the terminal, where the owner's shell reads them. */
const terminalInput = [0x5412, 0x541c];

const allow = 0x7fff0000;
const denyWith = (errno: number): number => 0x00050000 | errno;
const notPermitted = denyWith(1);
/** What a C library answers with the older call. */
const notKnown = denyWith(38);

/** Offsets in the kernel's `struct seccomp_data`. */
const at = { number: 0, machine: 4, firstArgument: 16, secondArgument: 24 };

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

const load = (offset: number): Instruction => [0x20, 0, 0, offset];
const end = (result: number): Instruction => [0x06, 0, 0, result];
const equals = (value: number, skip: number): Instruction => [0x15, 0, skip, value];
const atLeast = (value: number, skip: number): Instruction => [0x35, 0, skip, value];
const hasAny = (bits: number, skip: number): Instruction => [0x45, 0, skip, bits];

/** Undefined for a processor whose system calls we have not listed. */
export function seccompFilter(processor: string = process.arch): Buffer | undefined {
  const machine = machines[processor];
  if (!machine) return undefined;
  const { audit, variantFrom, clone, ioctl, unshare, denied } = machine;
  const program: Instruction[] = [
    load(at.machine),
    // Calls of another machine, such as those of 32-bit programs, have other numbers.
    [0x15, 1, 0, audit],
    end(notPermitted),
    load(at.number),
  ];
  if (variantFrom !== undefined) program.push(atLeast(variantFrom, 1), end(notPermitted));
  for (const number of denied) program.push(equals(number, 1), end(notPermitted));
  program.push(equals(clone3, 1), end(notKnown));
  for (const number of [clone, unshare]) {
    program.push(equals(number, 4), load(at.firstArgument), hasAny(newNamespaces, 1));
    program.push(end(notPermitted), end(allow));
  }
  program.push(equals(ioctl, 1 + 2 * terminalInput.length), load(at.secondArgument));
  for (const request of terminalInput) program.push(equals(request, 1), end(notPermitted));
  program.push(end(allow));
  return assemble(program);
}

function assemble(program: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
