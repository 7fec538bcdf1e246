/**
 * Limits that several features share; each feature has more in its own `limits.ts`. A limit is a
 * bound that somebody can run into: it refuses, cuts, drops or ends something. Constants that only
 * tune how Surety works, such as the size of a cache, stand beside the code that uses them.
 */
export const sharedLimits = {
  /** Nesting depth of stored JSON. */
  jsonDepthMax: 64,
  /** Canonical JSON of one content of an entry: arguments, a result, a patch. */
  contentBytesMax: 4 * 1024 * 1024,
  /** Body of one HTTP request to the API. */
  requestBytesMax: 8 * 1024 * 1024,
  /** `surety.yaml`. */
  configBytesMax: 1024 * 1024,
  /** Longest time for which a lease can be taken or renewed. */
  leaseMsMax: 24 * 60 * 60 * 1_000,
  /** Latest values of sensitive fields that are recognised elsewhere; up to twice as many are. */
  noticedSecretsMax: 500,
  /** One secret. */
  secretBytesMax: 64 * 1024,
  /** A log file that grows past this is cut to its newer half. */
  logFileBytesMax: 16 * 1024 * 1024,
  /** Time between SIGTERM and SIGKILL for a process that the keeper stops. */
  stopGraceMsMax: 500,
  /** JSON body of a request or response that the router records with its hop. */
  hopBodyBytesMax: 64 * 1024,
  /** Requests of one lane that the router captures whole when asked to. */
  takenRequestsMax: 200,
  /** Body of a request that the router captures whole, or of its response. */
  takenBodyBytesMax: 256 * 1024,
  /** Body of one recorded request. A request with a larger body is not recorded. */
  recordedBodyBytesMax: 16 * 1024,
  /** Default time limit of a tool call. */
  toolMs: 30_000,
  /** Longest time that one call to deploy and validate may take. */
  validationMinutesMax: 60,
  /** Shortest interval at which the metrics of a service can be scraped. */
  scrapeEveryMsMin: 500,
  /** A name in a message. A longer one is cut. */
  shownNameCharsMax: 100,
  /** Paths that the shape of one JSON value lists. */
  shapePlacesMax: 200,
} as const;
