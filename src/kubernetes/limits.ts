export const kubernetesLimits = {
  /** The longest lifetime of such a namespace. */
  namespaceMinutesMax: 24 * 60,
  /** A name of a namespace has 63 characters, `agent-task-` included. */
  taskCharactersMax: 52,
} as const;
