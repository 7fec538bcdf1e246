export { type Carried, carryInto, findCarried } from './carried.ts';
export { type GivenRequest, givenScenario } from './given.ts';
export { type IsSafe, safetyOf, tellUnsafe } from './safe.ts';
export { type Scenario, type ScenarioRequest, scenarioOf } from './scenario.ts';
export { Sender } from './sender.ts';
