/**
 * What we promise, one line each. A test that proves one says so in a comment of its own line,
 * `// proves: ledger.chain, ledger.rebuild`; a page cites one in brackets, [ledger.chain].
 * What a benchmark measures, or a fresh clone shows, is not here: no test can prove it.
 */
export interface Requirement {
  readonly promise: string;
  /** `planned` ends by itself: as soon as a test proves it, it has to be called kept. */
  readonly status: 'kept' | 'planned';
}

const kept = (promise: string): Requirement => ({ promise, status: 'kept' });
const planned = (promise: string): Requirement => ({ promise, status: 'planned' });

export const requirements = {
  'frame.import-direction': kept('folders import each other only along the arrows of the design'),
  'frame.style': kept('the rules of style are tests'),
  'frame.generated-docs': kept('pages made from the code say what the code says'),
  'frame.old-node': kept(
    'on an old Node, surety finds a newer one or says in two lines what to do',
  ),
  'frame.own-postgres': kept('tests bring their own PostgreSQL, also as root, and leave nothing'),
  'frame.bench': kept('a benchmark checks outputs before timing, counts after, writes its results'),

  'kernel.lease': kept(
    'a resource has one holder; a holder that was paused past its end is fenced',
  ),
  'kernel.ids': kept('ids sort in the order of their making'),
  'kernel.clock': kept('a wall clock that is stepped back neither turns time back nor stops it'),
  'kernel.faults': kept('every fault has a code, a message, a remedy, a blame and a status'),
  'kernel.canonical-json': kept('canonical JSON is that of RFC 8785'),
  'kernel.strict-json': kept('duplicate keys, NaN and lone surrogates are refused'),
  'kernel.keys': kept('private keys are readable by their owner only, and never replaced'),
  'kernel.redaction': kept('secrets are removed from texts and from values, in linear time'),
  'kernel.limits': kept('every limit holds on both sides: the last accepted, the first refused'),

  'ledger.chain': kept('surety ledger verify finds any edited, dropped or reordered entry'),
  'ledger.pinpoint': kept('verify names the first entry that is wrong, also when it is truncated'),
  'ledger.checkpoints': kept('signed checkpoints expose a chain that was rewritten as a whole'),
  'ledger.anchor': kept('an anchor kept elsewhere exposes a chain that went another way'),
  'ledger.concurrent': kept('concurrent appends are one unbroken chain'),
  'ledger.atomic': kept('a batch is written whole or not at all'),
  'ledger.batch': kept('a request decides on what those before it in the same batch did'),
  'ledger.rebuild': kept('all rows follow from the chain; rebuild finds one that does not'),
  'ledger.shred': kept('contents can be destroyed without breaking the chain'),
  'ledger.redaction': kept('secrets are removed before anything is stored'),
  'ledger.export': kept('an export verifies with the file and the public key alone'),
  'ledger.import': kept('an import is the same ledger: entries, contents, rows and head'),
  'ledger.tail': kept('the tail gives what there is, then each new entry'),
  'ledger.clock': kept('a clock that goes backwards does not take the chain with it'),
  'ledger.backpressure': kept('the queue is bounded; who finds it full is told to come back'),
  'ledger.stores': kept('SQLite and PostgreSQL keep the same contract'),
  'ledger.several-writers': kept('several daemons may write to one ledger in PostgreSQL'),
  'ledger.reader': kept('a reader sees one moment, whatever is appended meanwhile'),
  'ledger.schema': kept('the schema is what was reviewed; a newer database is refused in words'),
  'ledger.kill': kept('kill -9 of daemon, worker or keeper loses nothing that was acknowledged'),
  'ledger.damage': kept('a corrupt, truncated or read-only database is told as what it is'),
  'ledger.disk-full': kept('a full disk is a fault; nothing acknowledged is lost'),
  'ledger.postgres-away': kept('PostgreSQL away: retryable fault, nothing lost, nothing doubled'),
  'ledger.everything': planned('everything is in the ledger: who, what, why, evidence, outcome'),

  'keeper.no-dependencies': kept('the keeper depends on Node and the kernel only'),
  'keeper.outlives': kept('the keeper and its children outlive a killed daemon'),
  'keeper.lease': kept('children whose lease ended are ended, with no client connected'),
  'keeper.descendants': kept('a child that ends takes all its descendants along'),
  'keeper.strays': kept('strays are found by the mark in their environment'),
  'keeper.recovery': kept('after kill -9 of the keeper the next one adopts what is still there'),
  'keeper.restart': kept('a child that crashed is started again with backoff, or given up'),
  'keeper.bounds': kept(
    'memory, CPU and processes of a child are bounded, with cgroups or without',
  ),
  'keeper.bad-input': kept('no client can stop the keeper, whatever it sends'),

  'daemon.single': kept('one daemon per directory; a stale pid file does not matter'),
  'daemon.stop': kept('a daemon that stops answers what is under way first'),
  'daemon.token': kept('the API is on loopback and wants the token, which only its owner can read'),
  'daemon.lifecycle': kept('surety up, status, logs and down do what they say, also twice'),
  'daemon.doctor': kept('doctor says what is wrong with this machine and what to do'),
  'daemon.clean': kept('nothing is left running after surety down'),

  'cli.help': kept('help is grouped by task, with examples'),
  'cli.json': kept('every command answers in JSON when asked'),
  'cli.colour': kept('colour only on a terminal'),
  'cli.exit-codes': kept('exit codes tell ok, bad, used wrongly and failed apart'),
  'cli.linux': kept('commands that need Linux say so on other systems'),
  'config.mistakes': kept('each mistake in surety.yaml is told with line and column'),
  'config.suggestion': kept('a misspelt key in surety.yaml is told with what was meant'),

  'api.openapi': kept('the OpenAPI document is made from the contracts, and served'),
  'api.contract': kept('a request that breaks its contract is refused, saying where'),
  'api.client': kept('client and server agree, being made from one contract'),
  'api.stream': kept('the tail of the ledger is streamed as server-sent events'),

  'gate.pure': kept('decide() is pure'),
  'gate.durable': kept(
    'nothing executes before a durable grant, no effect is told before its outcome is',
  ),
  'gate.once': kept('one effect per idempotency key; in flight and other arguments are told apart'),
  'gate.unknown': kept('what a crash interrupted is unknown, and never executed again by itself'),
  'gate.no-policy': kept('an agent without a policy is denied'),
  'gate.denial': kept('a denial is recorded, and says why and what would make it pass'),
  'gate.rows': kept('the rows of the gate follow from the chain'),
  'gate.replay': kept('the same ledger, policy and proposal give the same decision'),
  'gate.policy-diff': kept('surety policy diff shows what a changed policy would have decided'),
  'gate.observe': kept('in observe mode everything is judged and nothing refused'),
  'gate.enforce': kept('enforce is explicit, in every answer, and the default off loopback'),
  'gate.fail-closed': kept('a broken or costly policy, or a store that does not answer, denies'),
  'gate.last-good': kept('a policy that breaks leaves the last good one; at the start none'),
  'gate.draft': kept('a drafted policy loads, and allows everything that it was made from'),
  'gate.plan': kept('a plan is judged step by step on current state, and nothing is written'),
  'gate.packs': kept('every pack loads, and decides each of its cases as it says'),
  'gate.remedies': kept('an agent that only follows remedies gets from denied to committed'),
  'gate.newcomer': kept('docs/guard.md leads from an unguarded function to enforcement'),
  'gate.runtime-facts': kept('clock, amount, identity and schema come from the runtime'),
  'gate.arguments': kept('undeclared arguments and negative or non-finite amounts are denied'),
  'gate.kill': kept('idempotency survives kill -9 at every step of a proposal'),
  'gate.recovery': kept('after unknown the contract decides; never a blind retry'),
  'gate.budgets': kept('budgets are never overspent and never leak, under any concurrency'),
  'gate.slots': kept('slots and locks are leases with fencing tokens'),
  'gate.flat-cost': kept('the cost of a decision does not grow with history'),
  'gate.repetition': kept('an identical proposal again is told that it repeats itself'),
  'gate.evidence': kept('a mutation waits for its evidence: failing test, change, verdict'),
  'gate.repairs': kept('at most three repairs, then a person'),

  'embedding.own': kept('a program guards its functions with a locked directory of its own'),
  'embedding.kill': kept('a guarded call that kill -9 cut off is put right, and not made twice'),
  'embedding.tools': kept('maps of tools are guarded whatever form their tools have'),
  'embedding.daemon': kept('a program is a client of the daemon: granted there, executed here'),
  'embedding.away': kept('a daemon that dies before the settlement is told later'),
  'embedding.package': kept('the packed package is imported, typed and run by another project'),
  'embedding.frameworks': kept('a model of a real framework is refused with a remedy it can use'),
  'embedding.docs': kept('the program in docs/embedding.md runs'),

  'task.tree': kept('a task is split at any depth, never wider; what is not spent returns'),
  'task.forged': kept('a forged or widened delegation is refused, with a fault and an entry'),
  'task.cancel': kept(
    'cancelling ends a subtree: calls settle, approvals are void, budgets return',
  ),
  'task.path': kept('a right answer by a wrong path is refused, with what is missing'),

  'grant.verified': kept('a grant is for one agent, tool, argument list, executor and moment'),
  'grant.forged': kept('a grant that was altered, or signed by anybody else, is refused'),
  'grant.time': kept('a grant that has ended, or that comes from the future, is refused'),
  'grant.once': kept('a grant is good for one call; nothing usable is ever forgotten'),
  'grant.standard': kept('a grant is a JWT to every other library'),
  'grant.alone': kept('the verifier of grants needs node:crypto and nothing else'),
  'grant.rotation': kept('when keys rotate, grants under way stay good until they end'),
  'grant.revocation': kept('a revoked key makes its grants worthless at once'),

  'roles.enforced': kept('each operation is called by the roles that it names, and by no other'),
  'roles.tokens': kept('everybody has a token of their own, readable by the owner only'),

  'mcp.own': kept('an agent does all it may over MCP, and each answer says what it answers'),
  'mcp.add': kept('surety mcp add changes one entry of a client’s file, and that entry starts'),
  'mcp.identity': kept(
    'somebody without a token is told by the protocol where to learn about them',
  ),
  'mcp.conformance': kept(
    'the conformance suite passes the same checks with the gateway as without it',
  ),
  'mcp.approval': kept(
    'a held call may ask the person at its client, if policy and roles let them answer',
  ),
  'mcp.rates': kept('an agent is let in as often as surety.yaml says, and told when to come back'),

  'system.init': kept('surety init writes what it found, where, and over nothing'),
  'system.limits': kept('a service over its memory limit is ended, and status says so'),
  'system.secrets': kept('values of secrets are in no ledger, answer, log that is shown, or file'),
  'lanes.only-changed': kept('only changed services start'),
  'lanes.isolation': kept('baseline traffic never reaches a lane; two lanes never see each other'),
  'lanes.fail-closed': kept('a dead or unknown key is refused, never served by the baseline'),
  'lanes.reach': kept('a run whose candidate was not reached is invalid, naming the hop'),
  'lanes.unmodified': kept('unmodified applications work; OpenTelemetry baggage needs no preload'),
  'lanes.unkeyed': kept('unkeyed calls go straight to the baseline as if we were not there'),
  'lanes.protocols': kept('keyed HTTP/1.1, HTTP/2, gRPC and WebSocket calls go by the router'),
  'lanes.key-ends': kept('a key ends with its inbound request and leaks into no other'),
  'lanes.trace-id': kept('where baggage is dropped, the lane is recovered from the trace id'),
  'lanes.effects': kept('what is replayed has effects that are safe or close inside the lane'),
  'lanes.kubernetes': planned('on Kubernetes, Gateway API routes on the mesh that is there'),
  'lanes.ttl': kept('all of a lane is gone within a second of its end, also after kill -9'),

  'telemetry.questions': kept('an answer has its exact query, its range and what was searched'),
  'telemetry.no-data': kept('an answer without data says why'),
  'telemetry.lanes': kept('an agent sees telemetry of the baseline and of its own lanes only'),
  'telemetry.graph': kept('the graph tells who calls whom, and what a lane says otherwise'),
  'telemetry.reports-harmless': kept('a receiver that is down or broken costs a service nothing'),
  'telemetry.lines-traced': kept(
    'what a service writes is known by the request it was written for',
  ),
  'telemetry.lines-once': kept('a line of output is stored once, however it comes'),
  'telemetry.otlp': kept('official OTLP exporters deliver traces, metrics and logs without loss'),
  'telemetry.hostile-otlp': kept('hostile OTLP is taken or refused in words; nothing ends by it'),
  'telemetry.quoted': kept('what services call themselves stands in quotes in what an agent reads'),
  'telemetry.secrets': kept('no secret of a service is in anything that telemetry stores or tells'),
  'telemetry.process': kept('telemetry comes with the system, comes back, and ends with it'),
  'telemetry.kept': kept('what is kept goes by age and size, and its space is given back'),
  'telemetry.killed': kept('kill -9 loses the last unstored rows at most, and it is told how many'),
  'telemetry.disk-full': kept(
    'on a full disk rows wait, are counted, and go on when there is room',
  ),
  'telemetry.sandbox': kept('queries read the views, and no file, setting, network or other table'),
  'telemetry.not-blocked': kept('queries never hold up what comes in'),
  'telemetry.bounded': kept('queries end in time, within their memory, with bounded answers'),

  'monitoring.prometheus': kept('Prometheus scrapes us, and answers what it is asked through us'),
  'monitoring.lanes': kept('Prometheus tells an agent only of its own lanes and of none'),
  'monitoring.alerts': kept('an alert that is told again and again is recorded once'),
  'monitoring.replayed': kept('telemetry that lost its rows is told deployments and alerts again'),
  'monitoring.export': kept('copies of telemetry arrive whole at any OTLP receiver'),
  'monitoring.otel': kept('services with OpenTelemetry stand in the same graph and traces'),

  'promotion.base': kept('what was proven on one version is promoted on no other'),
  'promotion.return': kept('a promotion that makes things worse is taken back by itself'),

  'verify.paired': kept('candidate and control are compared pair by pair, on the same requests'),
  'verify.false-alarms': kept('a verdict states its own false-alarm rate'),
  'verify.suites': kept(
    'a suite in any language says what it saw; one that could not look is broken',
  ),
  'verify.injection': kept(
    'a request of an open lane meets the faults it asks for, and no other does',
  ),
  'verify.inconclusive': kept('a verdict says inconclusive rather than guess'),

  'probes.unprepared': planned('a probe attaches to a process that was never prepared for it'),
  'probes.read-only': planned('a probe cannot change its process: checked, enforced, certified'),
  'probes.budget': planned('a probe keeps to a CPU and stall budget predicted before arming'),
  'probes.redaction': planned('captures hold no secrets'),
  'probes.end': planned('a probe expires, disarms itself when we die, leaves nothing behind'),

  'investigate.confirmed': planned('a cause is confirmed only by captures that separate'),
  'investigate.missing': planned('otherwise the report says what is missing'),
  'investigate.remedy': planned('remediation is always a proposal to the gate'),
} as const satisfies Readonly<Record<string, Requirement>>;
