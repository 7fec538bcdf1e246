export type { GivenRequest } from '../api-schema.ts';
export type { RecordedScenario } from './api-schema.ts';
export { type Carried, carryInto, findCarried, Said, textOf } from './carried.ts';
export { givenScenarios, isGiven } from './given.ts';
export { RecordedStore } from './recorded-store.ts';
export { Recorder } from './recorder.ts';
export {
  chooseReplay,
  type ExtraTraffic,
  onlyRecorded,
  sendScenario,
  type TrafficRecording,
} from './replay.ts';
export { formatUnsafe, type IsSafe, safetyOf } from './safe.ts';
export { type Scenario, type ScenarioRequest, scenarioOf } from './scenario.ts';
export { Sender } from './sender.ts';
