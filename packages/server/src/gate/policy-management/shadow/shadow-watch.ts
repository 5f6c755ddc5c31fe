import type { Intent } from '../../intents/intent.ts';
import { type PolicyAgent, toPolicyRequest } from '../../intents/policy-request.ts';
import type { Storage } from '../../kernel/storage.ts';
import { yieldToEventLoop } from '../../kernel/yield-to-event-loop.ts';
import { evaluatePolicy } from '../../policy/evaluate.ts';
import type { PolicyOutcome } from '../../policy/outcome.ts';
import { type CompiledPolicy, parsePolicy } from '../../policy/policy.ts';
import type { ProjectSettings } from '../../project-settings/project-settings.ts';
import { OpenFindings } from './shadow-findings.ts';
import type { ShadowKeeping, ShadowPolicy, ShadowReader, ShadowWriter } from './shadow-policy.ts';
import { weighIntent } from './weigh-intent.ts';

/** What is kept of a project's shadow. */
const KEEP: ShadowKeeping = { divergences: 1000, counts: 500 };
/** Of what is found between two writes, so many are listed; all are counted. */
const MOST_LISTED_AT_ONCE = 100;
/** Intents that wait to be asked about. What comes beyond is counted as missed: requests are never held up. */
const MOST_WAITING = 2000;
/** Of large ones fewer, or one agent's could take all the memory there is. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
/** How long it may keep others from the event loop at a time. */
const SLICE_MS = 1;
const WRITE_EVERY_MS = 500;

export interface ShadowWatchOptions {
  onError: (error: unknown, what: string) => void;
  writeEveryMs?: number;
}

/** An intent that was made, and what was said of it. */
interface Observed {
  settings: ProjectSettings;
  intent: Intent;
  agent: PolicyAgent | null;
  outcome: PolicyOutcome;
  bytes: number;
}

/** A project's shadow, as of a revision; null: it has none. */
interface Known {
  revision: number;
  policy: CompiledPolicy | null;
}

/**
 * Asks shadow policies about the intents that are made. It is told of them after their commit, works between the
 * requests, and nobody waits for it: whatever goes wrong here, the intent stands as it is. What was not yet written
 * down when the process ends is lost.
 */
export class ShadowWatch {
  /** Since the gate was opened, over all projects; metrics read them. */
  readonly counts = { evaluated: 0, diverged: 0, missed: 0, failed: 0 };
  readonly #storage: Storage<ShadowReader, ShadowWriter>;
  readonly #options: ShadowWatchOptions;
  readonly #known = new Map<string, Known>();
  #waiting: Observed[] = [];
  /** Of those that wait, and of those being asked about. */
  #waitingBytes = 0;
  /** By project and hash of the shadow. */
  #findings = new Map<string, { projectId: string; hash: string; open: OpenFindings }>();
  #working: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(storage: Storage<ShadowReader, ShadowWriter>, options: ShadowWatchOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Takes note of an intent that is durable. Costs a look-up where the project has no shadow; never throws. */
  observe(
    settings: ProjectSettings,
    intent: Intent,
    agent: PolicyAgent | null,
    outcome: PolicyOutcome,
  ): void {
    const known = this.#known.get(settings.projectId);
    if (known && known.policy === null && known.revision >= settings.revision) return;
    const bytes = weighIntent(intent);
    if (
      this.#closed ||
      this.#waiting.length >= MOST_WAITING ||
      this.#waitingBytes + bytes > MOST_WAITING_BYTES
    ) {
      this.counts.missed += 1;
      return;
    }
    this.#waitingBytes += bytes;
    this.#waiting.push({ settings, intent, agent, outcome, bytes });
    this.#working ??= this.#work();
  }

  /** Resolves when all that was observed before the call is evaluated and written down. */
  async settle(): Promise<void> {
    await this.#working;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#write();
  }

  /** Before the storage is closed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.settle();
  }

  async #work(): Promise<void> {
    await yieldToEventLoop();
    let sliceEndsAt = performance.now() + SLICE_MS;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.reverse();
      this.#waiting = [];
      // Taken out one by one: what was asked about is not kept until the last.
      for (let observed = batch.pop(); observed; observed = batch.pop()) {
        try {
          const known = await this.#knownOf(observed.settings);
          if (known.policy) this.#ask(known.policy, observed);
        } catch (error) {
          this.counts.failed += 1;
          this.#options.onError(error, 'a shadow policy could not be asked');
        }
        this.#waitingBytes -= observed.bytes;
        if (performance.now() >= sliceEndsAt) {
          await yieldToEventLoop();
          sliceEndsAt = performance.now() + SLICE_MS;
        }
      }
    }
    this.#working = undefined;
  }

  /** Read anew whenever the project's revision has grown, for setting a shadow makes it grow. */
  async #knownOf({ projectId, revision }: ProjectSettings): Promise<Known> {
    const known = this.#known.get(projectId);
    if (known && known.revision >= revision) return known;
    const shadow = await this.#storage.read.findShadow(projectId);
    const fresh = { revision, policy: shadow ? this.#compile(shadow, known?.policy) : null };
    this.#known.set(projectId, fresh);
    return fresh;
  }

  #compile(
    { hash, document }: ShadowPolicy,
    known: CompiledPolicy | null | undefined,
  ): CompiledPolicy | null {
    if (known?.hash === hash) return known;
    const parsed = parsePolicy(document);
    if (parsed.ok) return parsed.policy;
    // It was parsed when it was set. Reported once, and not asked: trying it again would cost every request.
    this.counts.failed += 1;
    this.#options.onError(new Error(JSON.stringify(parsed.problems)), 'a shadow policy does not parse');
    return null;
  }

  #ask(shadow: CompiledPolicy, { intent, agent, outcome }: Observed): void {
    const request = toPolicyRequest(intent, agent, intent.createdAt);
    const diverged = this.#findingsOf(intent.projectId, shadow.hash).add(
      intent.id,
      request,
      outcome,
      evaluatePolicy(shadow, request),
    );
    this.counts.evaluated += 1;
    if (diverged) this.counts.diverged += 1;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#write();
    }, this.#options.writeEveryMs ?? WRITE_EVERY_MS);
  }

  #findingsOf(projectId: string, hash: string): OpenFindings {
    const key = `${projectId} ${hash}`;
    const known = this.#findings.get(key);
    if (known) return known.open;
    const open = new OpenFindings(MOST_LISTED_AT_ONCE);
    this.#findings.set(key, { projectId, hash, open });
    return open;
  }

  /** One write after the other: the order of the list is the order of time. */
  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeFindings());
    return this.#writing;
  }

  async #writeFindings(): Promise<void> {
    const found = [...this.#findings.values()];
    this.#findings = new Map();
    for (const { projectId, hash, open } of found) {
      const findings = open.take();
      try {
        // One that was replaced meanwhile has nothing to be written to.
        await this.#storage.transaction((tx) => tx.addShadowFindings(projectId, hash, findings, KEEP));
      } catch (error) {
        this.counts.missed += findings.evaluated;
        this.#options.onError(error, 'what a shadow policy found could not be written down');
      }
    }
  }
}
