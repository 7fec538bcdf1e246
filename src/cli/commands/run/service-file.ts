import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { fault } from '../../../kernel/index.ts';

/** A file that makes the operating system start Surety for a directory. */
export interface ServiceFile {
  readonly path: string;
  readonly text: string;
  /** The commands that enable and disable it. */
  readonly enable: string;
  readonly disable: string;
}

export interface ServiceRequest {
  readonly directory: string;
  /** Node and the program of the `surety` command. */
  readonly program: readonly string[];
  readonly platform: NodeJS.Platform;
  /** Root installs for the machine, other users for themselves. */
  readonly isRoot: boolean;
  readonly configHome?: string | undefined;
}

/** Pure: a systemd unit on Linux, a launchd agent on macOS. */
export function makeServiceFile(request: ServiceRequest): ServiceFile {
  if (request.platform === 'linux') return systemdUnit(request);
  if (request.platform === 'darwin') return launchdAgent(request);
  const reason = `there is no service manager that Surety knows on ${request.platform}.`;
  throw fault('USAGE', { reason, help: 'surety service install --help' });
}

/** Two directories may have the same name. */
function serviceName(directory: string): string {
  const hash = createHash('sha256').update(directory).digest('hex').slice(0, 8);
  return `surety-${basename(directory).replaceAll(/[^\w-]+/g, '-')}-${hash}`;
}

function systemdUnit({ directory, program, isRoot, configHome }: ServiceRequest): ServiceFile {
  const name = `${serviceName(directory)}.service`;
  const own = join(configHome ?? join(homedir(), '.config'), 'systemd', 'user');
  const call = (command: string): string =>
    [...program, command, '--directory', directory].map(quoteForSystemd).join(' ');
  // The keeper detaches itself and supervises the rest: the unit only starts and stops it.
  const text = `[Unit]
Description=Surety for ${directory.replaceAll('%', '%%')}
After=network.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=${call('up')}
ExecStop=${call('down')}

[Install]
WantedBy=${isRoot ? 'multi-user' : 'default'}.target
`;
  const systemctl = isRoot ? 'systemctl' : 'systemctl --user';
  return {
    path: join(isRoot ? '/etc/systemd/system' : own, name),
    text,
    enable: `${systemctl} enable --now ${name}`,
    disable: `${systemctl} disable --now ${name}`,
  };
}

function quoteForSystemd(word: string): string {
  const escaped = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `"${escaped.replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;
}

function launchdAgent({ directory, program, isRoot }: ServiceRequest): ServiceFile {
  const label = `dev.${serviceName(directory)}`;
  const folder = isRoot ? '/Library/LaunchDaemons' : join(homedir(), 'Library', 'LaunchAgents');
  const path = join(folder, `${label}.plist`);
  const words = [...program, 'up', '--directory', directory];
  const text = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${escapeXml(label)}</string>
  <key>ProgramArguments</key>
  <array>
${words.map((word) => `    <string>${escapeXml(word)}</string>`).join('\n')}
  </array>
  <key>RunAtLoad</key><true/>
  <key>AbandonProcessGroup</key><true/>
</dict>
</plist>
`;
  return { path, text, enable: `launchctl load ${path}`, disable: `launchctl unload ${path}` };
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
