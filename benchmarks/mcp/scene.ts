import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentTokenFile } from '../../src/runtime/identities.ts';
import { findPlace, type WorkspacePlace } from '../../src/runtime/place.ts';
import { readDaemonFile } from '../../src/runtime/state-files.ts';
import { until } from '../../tests/harness/until.ts';
import type { Target } from './caller.ts';
import { Processes } from './processes.ts';
import { policy } from './tools.ts';

/** Every contender as a process of its own, before the same server. */
export interface Scene {
  readonly direct: Target;
  readonly forward: Target;
  readonly pay: Target;
  readonly look: Target;
  readonly peer: Target;
  readonly place: WorkspacePlace;
  /** What the server has really done. */
  counts(): Promise<Record<string, number>>;
  /** Ends the daemon, so that its ledger is at rest. */
  endDaemon(): Promise<void>;
  close(): Promise<void>;
}

export async function openScene(daemonOptions: readonly string[] = []): Promise<Scene> {
  const root = mkdtempSync(join(tmpdir(), 'surety-bench-mcp-'));
  const processes = new Processes();
  const close = async (): Promise<void> => {
    await processes.end();
    rmSync(root, { recursive: true, force: true });
  };
  try {
    const upstream = await processes.start('./upstream-process.ts');
    const forward = await processes.start('./forward-process.ts', String(upstream.port));
    const peer = await processes.startPeer('./stdio-process.ts');
    const place = layOut(root, upstream.port);
    const daemon = await startDaemon(place, daemonOptions, processes);
    const token = readFileSync(agentTokenFile(place, 'ada'), 'utf8').trim();
    const bare = { tool: 'pay', token: 'none' } as const;
    return {
      place,
      direct: { ...bare, ...upstream, name: 'direct' },
      forward: { ...bare, ...forward, name: 'plain byte-forwarding Node proxy' },
      pay: { ...daemon, token, name: 'Surety, mutating tool', tool: 'pay' },
      look: { ...daemon, token, name: 'Surety, read-only tool', tool: 'look' },
      peer: { ...bare, ...peer, name: 'npm mcp-proxy, stdio server' },
      counts: async () => (await fetch(`http://127.0.0.1:${upstream.port}/counts`)).json() as never,
      endDaemon: () => processes.endOne(daemon.pid),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function layOut(root: string, upstream: number): WorkspacePlace {
  const place = findPlace(root, '.');
  mkdirSync(place.state, { mode: 0o700 });
  const servers = { bench: { url: `http://127.0.0.1:${upstream}/mcp` } };
  writeFileSync(place.configFile, JSON.stringify({ policy: 'policy.yaml', mcp: { servers } }));
  writeFileSync(join(root, 'policy.yaml'), JSON.stringify(policy));
  return place;
}

async function startDaemon(
  place: WorkspacePlace,
  options: readonly string[],
  processes: Processes,
): Promise<{ port: number; pid: number }> {
  processes.spawn([...options, '../../src/runtime/daemon-main.ts', place.root]);
  const { port, pid } = await until('the daemon is there', () => readDaemonFile(place));
  return { port, pid };
}
