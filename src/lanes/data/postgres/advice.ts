/** What to do about a failure, as far as it can be told from what the server or pg_dump said. */
export function adviceFor(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (code === '42501') return 'Grant CREATEDB to the role in the URL of the datastore.';
  if (code === 'ECONNREFUSED' || code === '57P03') return 'Start the server, then try again.';
  if (/version mismatch|unsupported version/.test(message)) {
    return "Install the server's version of pg_dump and pg_restore (Debian: postgresql-client-<version>), or say by which commands the datastore is branched.";
  }
  return 'Look into the reason, then try again.';
}
