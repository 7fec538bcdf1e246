export type { GivenRequest } from '../api-schema.ts';

export {
  type CarriedValue,
  carryInto,
  ExchangedTexts,
  findCarried,
  textOf,
} from './carried-values.ts';
export {
  acceptedCredential,
  type Credential,
  credentialHeader,
  credentialsIn,
} from './credentials.ts';
export { routeName } from './outward-routes.ts';
export { RecordedStore } from './recorded-store.ts';
export { Recorder } from './recorder.ts';
export {
  formatUnsafe,
  type IsSafe,
  type IsSafeInside,
  innerSafetyOf,
  isRead,
  safetyOf,
} from './repeat-safety.ts';
export {
  chooseReplay,
  type ExtraTraffic,
  onlyRecorded,
  sendScenario,
  type TrafficRecording,
} from './replay.ts';
export {
  givenScenarios,
  isGiven,
  type Scenario,
  type ScenarioRequest,
  scenarioOf,
} from './scenario.ts';
export { ScenarioSender } from './sender.ts';
export { sensitiveValues } from './sensitive-values.ts';
