export {
  type Act,
  type Actor,
  committedValue,
  type Grant,
  type Outcome,
  type Proposal,
} from './act.ts';
export { type Clock, createClock, type Instant, showInstant } from './clock.ts';
export { compiledVariable } from './compiled.ts';
export {
  type DriftLevel,
  type DriftLevelRow,
  driftLevelKey,
  driftLevels,
} from './drift-level.ts';
export { durationMs, durationPattern, formatBudget, formatDuration } from './duration.ts';
export { Fault, type FaultReport, fault, faultFromReport, isFault, toFault } from './fault.ts';
export { type FaultCode, type FaultDefinition, faultDefinition, faults } from './faults.ts';
export {
  type DirectoryLock,
  lockDirectory,
  readPid,
} from './files/directory-lock.ts';
export {
  checkPrivate,
  makePrivateDirectory,
  replacePrivateFile,
  writePrivateFile,
} from './files/private-file.ts';
export {
  checkSocketPlace,
  makeRefuge,
  removeSocket,
  type SocketPlace,
  socketPlace,
} from './files/socket-path.ts';
export { openSqlite } from './files/sqlite.ts';
export { sha256, zeroHash } from './hash.ts';
export {
  createIdentifiers,
  type Identifier,
  identifierTime,
  type MakeIdentifier,
} from './identifier.ts';
export { canonicalJson } from './json/canonical-json.ts';
export { type Immutable, isJsonObject, type Json, type JsonObject } from './json/json.ts';
export { type FieldType, fieldTypeOf, shapeText } from './json/shape.ts';
export { parseStrictJson } from './json/strict-json.ts';
export {
  makePrivatePem,
  openSigningKey,
  type SigningKey,
  signingKeyFrom,
  type VerifyingKey,
  verifyingKey,
} from './keys.ts';
export {
  hideCutSecret,
  knownSecretsCount,
  rememberSecret,
  watchSecrets,
  withoutNoticed,
} from './known-secrets.ts';
export { lazy } from './lazy.ts';
export {
  checkHolder,
  isLive,
  type Lease,
  type LeaseRequest,
  takeLease,
} from './lease.ts';
export { sharedLimits } from './limits.ts';
export { createLog, type Log } from './log.ts';
export { nearest, rankNearest } from './nearest.ts';
export { isSupportedNode, readVersion } from './package.ts';
export { pluralize } from './pluralize.ts';
export {
  isPortFree,
  leasePort,
  openOnPort,
  type PortLease,
  portRanges,
  reservePort,
} from './ports.ts';
export { CallerConnections, limitCallers } from './process/caller-connections.ts';
export { type ControlCall, callControl } from './process/control-call.ts';
export { listenPrivately } from './process/control-socket.ts';
export { endGroup } from './process/end-group.ts';
export {
  endSignal,
  existingDirectory,
  nodeCommand,
  runMain,
  surviveErrors,
} from './process/process-life.ts';
export { type RandomBytes, systemRandom } from './random.ts';
export {
  isSecretName,
  isWeakSecretName,
  type Redact,
  redactField,
  redactSecrets,
  redactText,
  secretNamePatterns,
} from './redaction.ts';
export { hasRole, type Identity, type Role, roles, type Surface, surfaces } from './roles.ts';
export { shareInterval } from './share-interval.ts';
export { showCall, showName } from './show-name.ts';
export { tryOr } from './try-or.ts';
export { Wakes } from './wakes.ts';
