import { expect, test } from 'vitest';
import { runs } from '../../../tests/harness/deep.ts';
import { App } from '../scene.fixture.ts';
import { checkTarget } from '../target/target.ts';
import { attach } from './attach.ts';
import { runSelfTest } from './self-test.ts';

// proves: probes.read-only
test.runIf(process.platform === 'linux')(
  'no expression changes a process, evaluated either way',
  async () => {
    await using app = await App.start();
    const attachment = await attach(await checkTarget(app.pid));
    const { expressions, mutations } = await runSelfTest(attachment, runs(4, 1));
    expect(expressions).toBeGreaterThan(466 + 100);
    expect(mutations).toBe(0);
    await attachment.agent.call('close');
    expect(await app.get('/globals')).toEqual([]);
  },
);
