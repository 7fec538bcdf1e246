/**
 * What Surety promises, one line each. A test that proves a promise says so in a comment on its own
 * line, `// proves: ledger.chain, ledger.rebuild`. A page cites a promise in brackets,
 * [ledger.chain]. Benchmark results are not here, because no test can prove them.
 */
export interface Requirement {
  readonly promise: string;
  /** `planned` ends by itself: as soon as a test proves it, it has to be called kept. */
  readonly status: 'kept' | 'planned';
}

const kept = (promise: string): Requirement => ({ promise, status: 'kept' });
const planned = (promise: string): Requirement => ({ promise, status: 'planned' });

export const requirements = {
  'frame.import-direction': kept(
    'folders import each other only along the directions of the design',
  ),
  'frame.style': kept('style rules are tests'),
  'frame.generated-docs': kept('generated pages match the code'),
  'frame.old-node': kept(
    'on an old Node, surety finds a newer one or says in two lines what to do',
  ),
  'frame.own-postgres': kept(
    'tests bring their own PostgreSQL, also as root, and leave nothing behind',
  ),
  'frame.bench': kept(
    'a benchmark checks outputs before timing, counts after, and saves its results',
  ),

  'kernel.lease': kept(
    'a resource has one holder; a holder that was paused past its expiry is fenced',
  ),
  'kernel.ids': kept('ids sort in the order in which they were made'),
  'kernel.clock': kept('a wall clock that is set back neither turns time back nor stops it'),
  'kernel.remedy-names': kept(
    'every command, flag, key, tool and address that a remedy names exists',
  ),
  'kernel.remedies-followed': kept(
    'a remedy that docs/errors.md marks as tested leads out of its fault',
  ),
  'kernel.faults': kept('every fault has a code, a message, a remedy, a blame and a status'),
  'kernel.canonical-json': kept('canonical JSON follows RFC 8785'),
  'kernel.strict-json': kept('duplicate keys, NaN and lone surrogates are refused'),
  'kernel.keys': kept('only their owner can read private keys, and they are never overwritten'),
  'kernel.redaction-corpus': kept('redaction removes the forms of a corpus, except named ones'),
  'kernel.known-secrets': kept('a declared secret is removed in any encoding, and as a name'),
  'kernel.noticed-secrets': kept('values of sensitive fields are recognised again in other texts'),
  'kernel.redaction': kept('secrets are removed from texts and values, in linear time'),
  'kernel.limits': kept(
    'every limit holds on both sides: the last accepted value, the first refused one',
  ),

  'kubernetes.ends': kept(
    'a lane in a cluster ends on time although no process of Surety runs any more',
  ),
  'kubernetes.rights': kept('the Role that Surety prints has every right that lanes need'),
  'kubernetes.verdict': kept('a change gets the same verdict on pods as on one machine'),

  'ledger.chain': kept('surety ledger verify finds any edited, dropped or reordered entry'),
  'ledger.pinpoint': kept('verify names the first bad entry, also in a truncated chain'),
  'ledger.checkpoints': kept('signed checkpoints expose a chain that was rewritten as a whole'),
  'ledger.anchor': kept('an anchor kept elsewhere exposes a chain that diverged from it'),
  'ledger.history': kept('verify names a chain that was rolled back, hashed again or unsigned'),
  'ledger.signed-head': kept('a ledger that does not continue the signed head is not opened'),
  'ledger.acknowledge': kept('only an entry of the owner lets a daemon go on after lost history'),
  'ledger.witness': kept('a file, a git note or a time-stamp outside exposes rewritten history'),
  'ledger.proof': kept('a proof of consistency shows that one head continues another'),
  'ledger.unsigned': kept('verify fails if more entries than a limit follow the last checkpoint'),
  'ledger.concurrent': kept('concurrent appends form one unbroken chain'),
  'ledger.atomic': kept('a batch is written whole or not at all'),
  'ledger.batch': kept('a request is decided on the results of earlier requests in its batch'),
  'ledger.rebuild': kept('all rows follow from the chain; rebuild finds one that does not'),
  'ledger.shred': kept('contents can be destroyed without breaking the chain'),
  'ledger.redaction': kept('secrets are removed before anything is stored'),
  'ledger.export': kept('an export verifies with only the file and the public key'),
  'ledger.import': kept('an import gives the same ledger: entries, contents, rows and head'),
  'ledger.tail': kept('the tail shows existing entries, then each new one'),
  'ledger.clock': kept('a clock that goes backwards does not turn the chain back'),
  'ledger.backpressure': kept('the queue is bounded; a caller that finds it full is told to retry'),
  'ledger.stores': kept('SQLite and PostgreSQL pass the same contract tests'),
  'ledger.several-writers': kept('several daemons may write to one ledger in PostgreSQL'),
  'ledger.reader': kept('a reader sees one moment, whatever is appended meanwhile'),
  'ledger.schema': kept(
    'the schema is the reviewed one; a newer database is refused with a reason',
  ),
  'ledger.kill': kept('kill -9 of daemon, worker or keeper loses nothing that was acknowledged'),
  'ledger.damage': kept('a corrupt, truncated or read-only database is reported as such'),
  'ledger.disk-full': kept('a full disk is a fault; nothing acknowledged is lost'),
  'ledger.postgres-away': kept(
    'without PostgreSQL there is a retryable fault; nothing is lost or doubled',
  ),
  'ledger.everything': planned('everything is in the ledger: who, what, why, evidence, outcome'),

  'router.descriptors': kept('closed and idle clients do not use up the descriptors of the router'),
  'keeper.no-dependencies': kept('the keeper depends only on Node and the kernel'),
  'keeper.outlives': kept('the keeper and its children outlive a killed daemon'),
  'daemon.restarted': kept('the keeper restarts a killed daemon on the port that clients know'),
  'keeper.lease': kept('children whose lease expired are ended, even with no client connected'),
  'keeper.descendants': kept('all descendants of a child end with it'),
  'keeper.strays': kept('strays are found by the mark in their environment'),
  'keeper.recovery': kept('after kill -9 of the keeper, the next one adopts what still runs'),
  'system.lost': kept('a service that died together with the keeper is started again'),
  'system.crash-loop': kept('a service that crashes in a loop is reported and still started again'),
  'keeper.restart': kept('a crashed child is restarted with backoff, or given up'),
  'keeper.bounds': kept(
    'memory, CPU and processes of a child are bounded, with cgroups or without',
  ),
  'keeper.bad-input': kept('no client can stop the keeper, whatever it sends'),

  'daemon.single': kept('there is one daemon per directory; a stale pid file does not matter'),
  'daemon.stop': kept('a stopping daemon first answers requests in progress'),
  'daemon.token': kept(
    'the API is on loopback and requires the token, which only its owner can read',
  ),
  'daemon.damaged-input': kept(
    'what takes input from outside accepts or refuses damaged input without a crash',
  ),
  'daemon.impostor': kept(
    'a program on the port of a dead daemon gets no token from any client of ours',
  ),
  'daemon.answers': kept('the daemon answers its status while other processes are paused'),
  'daemon.lifecycle': kept('surety up, status, logs and down work, also when repeated'),
  'daemon.doctor': kept('doctor says what is wrong with this machine and what to do'),
  'daemon.clean': kept('nothing is left running after surety down'),

  'cli.terminal': kept('no command passes an escape sequence of others on to a terminal'),
  'start.quickstart': kept('the commands of the quickstart work as the page shows them'),
  'start.own-repository': kept(
    'surety init turns a compose file into a running system without an edit by hand',
  ),
  'start.documented-commands': kept(
    'every surety command in README and docs is in the command table, with its flags',
  ),
  'ci.action': kept('the steps of the GitHub action judge a pull request on any runner'),
  'cli.help': kept('help is grouped by task, with examples'),
  'cli.json': kept('every command can answer in JSON'),
  'cli.colour': kept('colour is used only on a terminal'),
  'cli.exit-codes': kept('exit codes distinguish success, a bad result, wrong usage and failure'),
  'cli.linux': kept('commands that need Linux say so on other systems'),
  'config.mistakes': kept('each mistake in surety.yaml is reported with line and column'),
  'config.suggestion': kept('a misspelt key in surety.yaml is reported with the likely one'),

  'api.openapi': kept('the OpenAPI document is generated from the contracts, and served'),
  'api.contract': kept('a request that breaks its contract is refused, with the position'),
  'api.client': kept('client and server agree, because both are made from one contract'),
  'api.unread': kept('a reader of the event stream that does not read is cut off'),
  'api.stream': kept('the tail of the ledger is streamed as server-sent events'),

  'gate.denied-bounded': kept('arguments of denied calls are bounded and count as requests'),
  'gate.pure': kept('decide() is pure'),
  'gate.durable': kept(
    'a grant is durable before its call; an outcome survives a kill before the answer',
  ),
  'gate.once': kept('one effect per idempotency key; in flight and other arguments are told apart'),
  'gate.unknown': kept('an interrupted call is unknown, and never executed again without a reason'),
  'gate.no-policy': kept('an agent without a policy is denied'),
  'gate.denial': kept('a denial is recorded, and says why and what would make the call pass'),
  'gate.rows': kept('the rows of the gate follow from the chain'),
  'gate.replay': kept('the same ledger, policy and proposal give the same decision'),
  'gate.policy-diff': kept('surety policy diff shows what a changed policy would have decided'),
  'gate.observe': kept('in observe mode everything is decided and nothing is denied'),
  'gate.enforce': kept('enforce is explicit, in every answer, and the default off loopback'),
  'gate.fail-closed': kept('a broken or costly policy, or a store that does not answer, denies'),
  'gate.last-good': kept(
    'a policy that breaks leaves the last valid one in force; at the start none',
  ),
  'gate.draft': kept('a drafted policy loads, and allows everything that it was made from'),
  'gate.plan': kept('a plan is checked step by step on current state, and nothing is written'),
  'gate.packs': kept('every pack loads, and decides each of its cases as expected'),
  'gate.remedies': kept('an agent that only follows remedies gets from denied to committed'),
  'gate.newcomer': kept('docs/guard.md leads from an unguarded function to enforcement'),
  'gate.runtime-facts': kept('clock, amount, identity and schema come from the runtime'),
  'gate.arguments': kept('undeclared arguments and negative or non-finite amounts are denied'),
  'gate.kill': kept('idempotency survives kill -9 at every step of a proposal'),
  'gate.recovery': kept('after unknown, the contract decides; there is never a blind retry'),
  'gate.recovery-finishes': kept(
    'where the effect can be read, recovery ends by itself, and late reports count',
  ),
  'gate.budgets': kept('budgets are never overspent and never leak, under any concurrency'),
  'gate.slots': kept('slots and locks are leases with fencing tokens'),
  'gate.flat-cost': kept('the cost of a decision does not grow with history'),
  'gate.repetition': kept('a repeated identical proposal is told that it repeats itself'),
  'gate.grants-follow': kept('a grant that the policy in force would not give cannot be redeemed'),
  'gate.policy-version': kept(
    'a daemon that starts with a replaced policy file leaves the newer policy in force',
  ),
  'drift.detected': kept('a shift of what an agent does is noticed within some hundred actions'),
  'drift.quiet': kept('an agent that behaves as usual raises no alarm'),
  'drift.decides': kept(
    'the drift level changes decisions as the policy says, and a replay repeats them',
  ),
  'gate.loops': kept('a repeated call stays denied, on any task and however it is varied'),
  'gate.evidence': kept('a mutation waits for its evidence: failing test, change, verdict'),
  'gate.repairs': kept('at most three repairs, then a person'),

  'embedding.own': kept('a program guards its functions with a locked directory of its own'),
  'embedding.kill': kept(
    'a guarded call that kill -9 interrupted is recovered, and not made twice',
  ),
  'embedding.tools': kept('maps of tools are guarded whatever form their tools have'),
  'embedding.daemon': kept('a program can be a client of the daemon: granted there, executed here'),
  'embedding.away': kept('if the daemon dies before the settlement, the settlement is sent later'),
  'embedding.package': kept('another project can import, type-check and run the packed package'),
  'embedding.frameworks': kept(
    'a model in a real framework is denied with a remedy that it can use',
  ),
  'embedding.docs': kept('the program in docs/embedding.md runs'),

  'task.tree': kept('a task is split at any depth and never widened; unspent budget returns'),
  'task.forged': kept('a forged or widened delegation is refused, with a fault and an entry'),
  'task.cancel': kept(
    'cancelling ends a subtree: calls settle, approvals are void, budgets return',
  ),
  'task.path': kept('a correct result without the required steps is denied, with what is missing'),
  'task.join': kept('a join of all, any, k or the first verified child is met exactly then'),
  'task.graded': kept('only another agent than the author can grade the result of a task'),
  'task.lost': kept('a task whose agent is gone is found and handled as the task says'),
  'task.taint': kept('what an agent has read follows into tasks that it splits off and joins'),
  'task.one-step': kept('work on tasks and locks is granted, done and settled in one transaction'),
  'models.counted': kept('calls of models count as their provider counts them, also streamed'),
  'models.budget': kept('a call of a model beyond a budget is refused before it is sent'),
  'models.loops': kept('the same question to a model is cut off after three times'),
  'lock.queue': kept('a lock has one holder; the others wait in order and see their position'),
  'lock.fenced': kept('the fence of a holder that was stopped past its lease is refused'),
  'lock.priority': kept(
    'priority comes first in the queue of a lock, and long waiting counts more',
  ),
  'lock.own-ticket': kept('nobody waits with the ticket of another agent'),
  'lock.left': kept('a waiter whose connection closes loses its place at once'),
  'lock.claimed': kept('a lock that nobody claims goes on to the next one after 30 seconds'),
  'lock.deadlock': kept('a wait that could never end is refused, with the cycle'),
  'task.swarm': kept('agents join, grade and draw a tree of tasks over MCP and the command line'),

  'grant.verified': kept(
    'a grant is valid for one agent, tool, argument list, executor and period',
  ),
  'grant.forged': kept('a grant that was altered, or signed by anybody else, is refused'),
  'grant.time': kept('a grant that has expired, or that comes from the future, is refused'),
  'grant.once': kept('a grant is good for one call; a usable grant is never forgotten'),
  'grant.standard': kept('other JWT libraries can read a grant'),
  'grant.alone': kept('the grant verifier needs only node:crypto'),
  'grant.rotation': kept('when keys rotate, issued grants stay valid until they expire'),
  'grant.revocation': kept('a revoked key invalidates its grants at once'),

  'roles.enforced': kept(
    'each operation can be called by the roles that it names, and by no other',
  ),
  'roles.reads': kept('an agent reads only the kinds and services that surety.yaml lets it read'),
  'lanes.unguessable': kept('the key of a lane follows from no other id and is no metric label'),
  'tokens.surface': kept('an issued token is valid for one surface and its holder only'),
  'tokens.expire': kept('issued tokens expire, and tokens in files are replaced after their days'),
  'tokens.rotate': kept('a rotated or revoked token is invalid at once'),
  'roles.tokens': kept('every person has their own token, readable by the owner only'),

  'hooks.gate': kept(
    'a tool call of a coding agent is a proposal, decided before and settled after',
  ),
  'hooks.effects': kept('a command is judged by what it would do, and held if that is unknown'),
  'hooks.evasions': kept('no listed command that hides a forbidden effect is allowed'),
  'hooks.protected': kept('an agent cannot change the hooks of its harness or the policy'),
  'hooks.harnesses': kept('five harnesses get answers by their documented protocol'),
  'hooks.observe': kept('in observe mode calls run, and what would have been is recorded'),
  'hooks.closed': kept('without a daemon a call is refused unless the hook fails open'),
  'hooks.bad-input': kept('input that cannot be judged is refused with a remedy'),
  'hooks.undo': kept('hook remove restores the file of the harness byte by byte'),

  'mcp.own': kept(
    'an agent can do everything it may over MCP, and each answer repeats the question',
  ),
  'mcp.add': kept('surety mcp add changes one entry of a client’s file, and that entry starts'),
  'mcp.identity': kept('the protocol tells a caller without a token where to learn about tokens'),
  'mcp.conformance': kept(
    'the conformance suite passes the same checks with the gateway as without it',
  ),
  'mcp.session': kept(
    'a server hears the revision of its client; its questions reach the call that asks',
  ),
  'mcp.budget': kept('a tool server that floods the gateway is cut off with a reason'),
  'mcp.exact': kept('numbers in results arrive as sent; a result nested too deep is an error'),
  'mcp.approval': kept(
    'a held call may ask the person at its client, if policy and roles allow it',
  ),
  'mcp.rates': kept('an agent may call as often as surety.yaml says, and is told when to retry'),

  'system.init': kept('surety init writes what it found and where, and overwrites nothing'),
  'system.limits': kept('a service over its memory limit is ended, and status says so'),
  'system.secrets': kept('values of secrets are in no ledger, answer, shown log or file'),
  'lanes.only-changed': kept('only changed services start, and copies of unsafe callers'),
  'lanes.callers': kept('a caller that loses the key or caches answers has a copy in the lane'),
  'lanes.check': kept('surety lane check names the services that lose the key, with the fix'),
  'lanes.exporters': kept('exporters of telemetry are no traffic of a lane and lose no key'),
  'lanes.affected-services': kept('a change of shared code starts the services that use it'),
  'lanes.isolation': kept('baseline traffic never reaches a lane; two lanes never see each other'),
  'lanes.fail-closed': kept('a dead or unknown key is refused, never served by the baseline'),
  'lanes.reach': kept('a run whose candidate was not reached is invalid, naming the hop'),
  'lanes.unmodified': kept('unmodified applications work; OpenTelemetry baggage needs no preload'),
  'lanes.languages': kept('helpers and OpenTelemetry pass keys on in Go, Python and Java'),
  'lanes.unkeyed': kept('unkeyed calls go straight to the baseline, as if Surety were not there'),
  'lanes.protocols': kept('keyed HTTP/1.1, HTTP/2, gRPC and WebSocket calls go through the router'),
  'lanes.key-ends': kept('a key ends with its inbound request and leaks into no other'),
  'lanes.trace-id': kept('if baggage is dropped, the lane is recovered from the trace id'),
  'lanes.effects': kept('repeated requests have effects that are safe or stay inside the lane'),
  'lanes.kubernetes': planned('on Kubernetes, Gateway API routes on the existing mesh'),
  'lanes.ttl': kept('all of a lane is gone within a second of its end, also after kill -9'),
  'lanes.confined': kept(
    'everything that an agent wrote runs confined, and gets nothing of the owner',
  ),
  'lanes.confinement-fixed': kept(
    'a change cannot loosen what confines it, unless a person allows it',
  ),

  'telemetry.questions': kept('an answer has its exact query, its range and what was searched'),
  'telemetry.no-data': kept('an answer without data says why'),
  'telemetry.lanes': kept('an agent sees only telemetry of the baseline and of its own lanes'),
  'telemetry.graph': kept('the graph shows which service calls which, and where a lane differs'),
  'telemetry.reports-harmless': kept('a receiver that is down or broken costs a service nothing'),
  'telemetry.lines-traced': kept(
    'a line of output has the trace of the request it was written for',
  ),
  'telemetry.lines-once': kept('a line of output is stored once, however it arrives'),
  'telemetry.otlp': kept('official OTLP exporters deliver traces, metrics and logs without loss'),
  'telemetry.hostile-otlp': kept(
    'hostile OTLP is accepted or refused with a reason, and ends no process',
  ),
  'telemetry.quoted': kept('names that services chose are quoted in what an agent reads'),
  'telemetry.secrets': kept('telemetry stores and shows no secret of a service'),
  'telemetry.fair': kept('queries of one agent keep nobody else from an answer'),
  'telemetry.slow': kept('slow senders of telemetry keep nobody else out'),
  'telemetry.senders': kept(
    'telemetry counts in decisions only if its sender has proven its instance',
  ),
  'telemetry.process': kept('telemetry starts with the system, restarts, and ends with it'),
  'telemetry.kept': kept('old rows are removed by age and size, and their space is freed'),
  'telemetry.killed': kept(
    'kill -9 loses at most the last unstored rows, and their number is reported',
  ),
  'telemetry.disk-full': kept(
    'on a full disk rows wait, are counted, and are stored when there is room',
  ),
  'telemetry.sandbox': kept('queries read the views, and no file, setting, network or other table'),
  'telemetry.not-blocked': kept('queries never delay ingestion'),
  'telemetry.bounded': kept('queries end in time, within their memory, with bounded answers'),

  'monitoring.prometheus': kept('Prometheus can scrape Surety, and Surety can query Prometheus'),
  'monitoring.lanes': kept(
    'through Prometheus, an agent sees only series of its own lanes and of none',
  ),
  'monitoring.alerts': kept('a repeated alert is recorded once'),
  'monitoring.replayed': kept('telemetry that lost its rows gets deployments and alerts again'),
  'monitoring.export': kept('copies of telemetry arrive whole at any OTLP receiver'),
  'monitoring.otel': kept('services with OpenTelemetry appear in the same graph and traces'),

  'promotion.base': kept('what was proven on one version is promoted on no other'),
  'promotion.person': kept(
    'a person promotes with the fresh pass of exactly that change, or says why not',
  ),
  'promotion.return': kept('a promotion that makes things worse is reverted automatically'),
  'promotion.unread': kept('a promotion is not kept while its errors cannot be read'),
  'promotion.unmarked': kept('a change that behaves well only in a lane is reverted'),

  'verify.intended': kept('what a person intends does not fail that change, and fails every other'),
  'verify.paired': kept('candidate and control are compared pair by pair, on the same requests'),
  'verify.same-surroundings': kept('a candidate and its control see the same surroundings'),
  'verify.languages': kept('changes of services in Go, Python and Java are verified'),
  'verify.noise': kept('random answers of unchanged services are never a finding'),
  'verify.false-alarms': kept('a verdict states its own false-alarm rate'),
  'verify.suites': kept(
    'a suite in any language reports its checks; one that could not run is broken',
  ),
  'verify.injection': kept(
    'a request of an open lane meets the faults it asks for; no other request does',
  ),
  'verify.lost-answers': kept('`full` finds what a change does twice after a lost answer'),
  'verify.recorded': kept('recorded traffic contains no credential, and verdicts repeat it'),
  'verify.unasked': kept(
    'routes that no request used are read, and noise of a process is no finding',
  ),
  'verify.variants': kept('requests made for a change find what lies between those of suites'),
  'verify.shared-writes': kept('rows in shared data are compared for the version they belong to'),
  'verify.executed': kept('a change of which no line with code ran never passes'),
  'verify.gaps': kept('surety gaps names what no request, verdict or suite has exercised'),
  'verify.distinguished': kept('a pass names changed code that ran and made no difference'),
  'verify.inconclusive': kept('a verdict says inconclusive rather than guess'),

  'probes.unprepared': kept('a probe attaches to a process that was never prepared for it'),
  'probes.read-only': kept('a probe cannot change its process: checked, enforced, certified'),
  'probes.budget': kept('a probe keeps to a CPU budget, and its cost is predicted before arming'),
  'probes.redaction': kept('captures contain no secrets'),
  'probes.suites': kept('a suite captures values inside candidates of its lane, and only there'),
  'probes.end': kept('a probe expires, disarms itself when Surety dies, and leaves nothing behind'),

  'incidents.slo': kept('requests that miss an objective of surety.yaml raise an alert'),
  'incidents.grouped': kept('alerts that may have one cause are one incident with one owner'),
  'incidents.told': kept('an incident is told once, when it opens and when it closes'),

  'investigate.confirmed': kept(
    'only captures that separate failing from healthy requests confirm a cause',
  ),
  'investigate.conditions': kept(
    'a value or a dead service is confirmed only by a lane without it',
  ),
  'investigate.missing': kept('otherwise the report says what is missing'),
  'investigate.remedy': kept('remediation is always a proposal to the gate'),
} as const satisfies Readonly<Record<string, Requirement>>;
