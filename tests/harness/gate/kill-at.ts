import { killHard } from '../kill-hard.ts';
import type { Workspace } from '../workspace.ts';

/** Kills the daemon the moment an entry appears while a call is under way, and starts it again. */
export async function killAt(
  workspace: Workspace,
  entry: string,
  call: () => Promise<unknown>,
): Promise<void> {
  const client = workspace.client();
  const { pid, ledger } = await client.call('GET /v1/status', {});
  const query = { from: ledger.head.seq + 1 };
  const stream = client.stream('GET /v1/entries/stream', { query });
  const calling = call().then(
    () => 'answered',
    () => 'cut off',
  );
  for await (const { kind, body } of stream) {
    if ((body.tool ? `${kind} ${body.tool}` : kind) !== entry) continue;
    await killHard(pid);
    break;
  }
  await calling;
  await workspace.up();
}
