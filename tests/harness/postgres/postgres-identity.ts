import { readFileSync } from 'node:fs';

/** The unprivileged user that runs the server when we are root. */
export interface Identity {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/**
 * PostgreSQL refuses to run as root, and a container often has nobody else: take `postgres`, else
 * `nobody`, else whoever comes first. `undefined` means: run as ourselves.
 */
export function chooseIdentity(wanted?: string): Identity | undefined {
  if (process.getuid?.() !== 0) return refuseSwitch(wanted);
  const users = readUsers();
  const names = wanted ? [wanted] : ['postgres', 'nobody'];
  const named = names.flatMap((name) => users.filter((user) => user.name === name));
  const chosen = named[0] ?? (wanted ? undefined : users[0]);
  if (chosen) return chosen;
  throw new Error(
    `PostgreSQL can't run as root and /etc/passwd has no ${wanted ?? 'unprivileged user'}. ` +
      'Add one, or run as an ordinary user.',
  );
}

/** What `spawn` needs to run a command as that user. */
export function credentials(identity: Identity | undefined): { uid?: number; gid?: number } {
  return identity ? { uid: identity.uid, gid: identity.gid } : {};
}

function refuseSwitch(wanted: string | undefined): undefined {
  if (!wanted) return undefined;
  throw new Error(`Only root can run PostgreSQL as "${wanted}". Leave the user out.`);
}

function readUsers(): Identity[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const users = lines.map((line) => {
    const [name = '', , uid, gid] = line.split(':');
    return { name, uid: Number(uid), gid: Number(gid) };
  });
  // macOS gives `nobody` the uid -2, which chown does not take.
  return users.filter((user) => user.uid > 0 && user.gid > 0);
}
