export { IntakeAdmission } from './admission.ts';
export type { Signal } from './answer.ts';
export { listenGrpc } from './grpc-receiver.ts';
export { type ReceiverDeps, receiveHttp } from './http-receiver.ts';
export { OtlpIntake } from './intake.ts';
export { LaneFinder } from './lane-finder.ts';
export { KnownNames, type SystemNamesUpdate } from './names.ts';
export { Senders } from './senders.ts';
