export { Admission } from './admission.ts';
export type { Signal } from './answer.ts';
export { listenGrpc } from './grpc-receiver.ts';
export { type ReceiverDeps, receiveHttp } from './http-receiver.ts';
export { Intake } from './intake.ts';
export { LaneFinder } from './lane-finder.ts';
export { Names, type NamesTold } from './names.ts';
