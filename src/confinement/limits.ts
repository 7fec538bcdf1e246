/** Bounds of a confined process and all that it starts, where surety.yaml sets no other. */
export const confinementLimits = {
  /** Memory of a confined service. */
  confinedMemoryMb: 4_096,
  /** Processes and threads of a confined service. */
  confinedProcesses: 1_024,
  /** Bytes that a confined service may write to disks, counted by the kernel. */
  confinedDiskMb: 8_192,
  /** Open files and sockets of each confined process. */
  confinedDescriptors: 16_384,
  /** The private /tmp, /dev/shm and home directory of a confined process, each. */
  confinedTemporaryMb: 1_024,
} as const;
