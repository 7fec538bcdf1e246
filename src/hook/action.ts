/** What an agent wants to do with a tool of its harness, whatever the harness calls it. */
export type AgentAction =
  | { readonly kind: 'shell'; readonly command: string; readonly directory?: string }
  | { readonly kind: 'edit'; readonly paths: readonly string[]; readonly content: string }
  | { readonly kind: 'delete'; readonly paths: readonly string[] }
  | { readonly kind: 'read'; readonly paths: readonly string[] }
  | { readonly kind: 'fetch'; readonly addresses: readonly string[] }
  /** A tool that only plans, asks or searches inside of the harness. */
  | { readonly kind: 'harmless' }
  | { readonly kind: 'unknown'; readonly tool: string };
