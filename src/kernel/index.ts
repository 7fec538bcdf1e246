export {
  type Act,
  type Actor,
  committedValue,
  type Grant,
  type Outcome,
  type Proposal,
} from './act.ts';
export { canonicalJson } from './canonical-json.ts';
export { type Clock, createClock, type Instant, showInstant, type TimeSources } from './clock.ts';
export { compiledVariable } from './compiled.ts';
export { type DirectoryLock, type LockHolder, lockDirectory, readPid } from './directory-lock.ts';
export { durationMs, durationPattern } from './duration.ts';
export { Fault, type FaultReport, fault, faultFromReport, isFault, toFault } from './fault.ts';
export { type Blame, type FaultCode, type FaultDefinition, faults } from './faults.ts';
export { sha256, zeroHash } from './hash.ts';
export {
  createIdentifiers,
  type Identifier,
  identifierTime,
  type MakeIdentifier,
} from './identifier.ts';
export { type Immutable, isJsonObject, type Json, type JsonObject } from './json.ts';
export {
  makePrivatePem,
  openSigningKey,
  type SigningKey,
  signingKeyFrom,
  type VerifyingKey,
  verifyingKey,
} from './keys.ts';
export { hideCutSecret, knownSecretsCount, rememberSecret, watchSecrets } from './known-secrets.ts';
export { lazy } from './lazy.ts';
export {
  checkHolder,
  isLive,
  type Lease,
  type LeaseRequest,
  takeLease,
} from './lease.ts';
export { sharedLimits } from './limits.ts';
export { createLog, type Log, type LogLevel } from './log.ts';
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
export { checkPrivate, makePrivateDirectory, writePrivateFile } from './private-file.ts';
export { type RandomBytes, systemRandom } from './random.ts';
export { isSecretName, type Redact, redactSecrets, redactText } from './redaction.ts';
export { hasRole, type Identity, type Role, roles } from './roles.ts';
export { type FieldType, fieldTypeOf, type Shape, shapeOf, shapeText } from './shape.ts';
export { showCall, showName } from './show-name.ts';
export {
  checkRefuge,
  makeRefuge,
  removeSocket,
  type SocketPlace,
  socketPlace,
} from './socket-path.ts';
export { openSqlite } from './sqlite.ts';
export { parseStrictJson } from './strict-json.ts';
