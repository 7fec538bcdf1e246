/** Which database to run, and where its files are. */
export interface LocalStoreRequest {
  readonly kind: 'postgres' | 'redis';
  /** Addresses of all databases of the server; the first says its port, user and password. */
  readonly urls: readonly string[];
  readonly directory: string;
}

/** How the server is started. */
export interface ServerCommand {
  readonly program: string;
  readonly words: readonly string[];
  /** Another user, if this one may not run it. */
  readonly identity?: { readonly uid: number; readonly gid: number } | undefined;
}
