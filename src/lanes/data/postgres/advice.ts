/** The remedy for a failure, derived from the message of the server or of pg_dump. */
export function adviceFor(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (code === '42501') return 'Grant CREATEDB to the role in the URL of the datastore.';
  if (code === 'ECONNREFUSED' || code === '57P03') return 'Start the server, then try again.';
  if (/version mismatch|unsupported version/.test(message)) {
    return "Install the server's version of pg_dump and pg_restore (Debian: postgresql-client-<version>), or say by which commands the datastore is branched.";
  }
  return 'Look into the reason, then try again.';
}
