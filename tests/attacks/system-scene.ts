import { readTelemetryFile } from '../../src/telemetry/index.ts';
import { LaneSystem } from '../harness/systems/lane-system.ts';
import { until } from '../harness/until.ts';
import { DaemonScene, openScene } from './daemon-scene.ts';

const config = `telemetry: { enabled: true }
agents:
  alice: { tools: ["*"] }
  mallory: { tools: ["*"] }
`;

interface OpenedLane {
  readonly lane: { readonly lane: string };
  readonly address: string;
}

/** Running services, telemetry, and a lane of Alice that has served a request. */
export class SystemScene extends DaemonScene {
  readonly system: LaneSystem;
  /** The key of Alice's lane. */
  lane = '';
  /** Where requests enter the lane. */
  address = '';

  private constructor(system: LaneSystem) {
    super(system.workspace);
    this.system = system;
  }

  static async open(): Promise<SystemScene> {
    const scene = new SystemScene(await LaneSystem.start(config));
    return openScene(scene, () => scene.#prepare());
  }

  async #prepare(): Promise<void> {
    const patch = this.system.versions({ back: '2' });
    const { body, verdict } = await this.call('alice', 'POST /v1/lanes', { patch });
    if (verdict !== '200') throw new Error(`no lane: ${JSON.stringify(body)}`);
    const opened = body as unknown as OpenedLane;
    this.lane = opened.lane.lane;
    this.address = opened.address;
    await this.system.through(this, this.lane);
    const rows = `SELECT count(*) FROM requests WHERE lane = '${this.lane}'`;
    await until('the lane is in telemetry', async () => (await this.count('owner', rows)) > 0);
  }

  /** The first number of the answer to a query. */
  async count(as: string, sql: string): Promise<number> {
    const { body } = await this.call(as, 'POST /v1/telemetry/query', { sql });
    const [row] = (body.rows as object[] | undefined) ?? [];
    return Number(Object.values(row ?? {})[0]);
  }

  /** The address at which everybody may report telemetry. */
  get telemetryUrl(): string {
    return `http://127.0.0.1:${readTelemetryFile(this.workspace.place.state)?.port}`;
  }
}
