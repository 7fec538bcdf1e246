import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentTokenFile } from '../../src/runtime/identities.ts';
import { findPlace, type WorkspacePlace } from '../../src/runtime/place.ts';
import { Processes } from '../processes.ts';
import type { Target } from './caller.ts';
import { policy } from './tools.ts';

/** Every contender as a process of its own, before the same server. */
export interface Scene {
  readonly direct: Target;
  readonly forward: Target;
  /** Does no more than to be as durable as the gate. */
  readonly logged: Target;
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
    const upstream = await processes.start('./mcp/upstream-process.ts');
    const port = String(upstream.port);
    const forward = await processes.start('./mcp/forward-process.ts', port);
    const logged = await processes.start('./mcp/logging-process.ts', port, join(root, 'calls.log'));
    const peer = await processes.startPeer('./mcp/stdio-process.ts');
    const place = layOut(root, upstream.port);
    const daemon = await processes.startDaemon(place, daemonOptions);
    const token = readFileSync(agentTokenFile(place, 'ada'), 'utf8').trim();
    const bare = { tool: 'pay', token: 'none' } as const;
    return {
      place,
      direct: { ...bare, ...upstream, name: 'direct' },
      forward: { ...bare, ...forward, name: 'plain byte-forwarding Node proxy' },
      logged: { ...bare, ...logged, name: 'plain Node proxy with a log, one fsync per call' },
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
