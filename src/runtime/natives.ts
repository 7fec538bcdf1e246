/** Surety's own tools: each checks its arguments itself, so that it needs no contract. */
export const natives: readonly string[] = [
  'calibration.run',
  'change.override',
  'change.promote',
  'change.propose',
  'change.verify',
  'grant-keys.revoke',
  'grant-keys.rotate',
  'investigation.run',
  'lane.close',
  'lane.extend',
  'lane.open',
  'deployment.record',
  'ledger.note',
  'ledger.shred',
  'mcp.accept',
  'policy.adopt',
  'probe.place',
  'proposal.resolve',
  'stop.lift',
  'stop.set',
  'suite.run',
  'system.down',
  'system.promote',
  'system.restart',
  'system.up',
  'task.cancel',
  'task.finish',
  'task.move',
  'task.open',
  'task.split',
  'task.verify',
  'test.submit',
];

const names = new Set(natives);

export const isNative = (tool: string): boolean => names.has(tool);
