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

/** The amount stored for a project's shadow policy. */
const KEEP: ShadowKeeping = { divergences: 1000, counts: 500 };
/** The most differences that one write lists, latest first. All are counted. */
const MOST_LISTED_AT_ONCE = 100;
/** Intents that may be queued. Further intents count as missed, because requests never wait for the queue. */
const MOST_WAITING = 2000;
/** Bounds the queue for large intents, so that one agent cannot fill the memory. */
const MOST_WAITING_BYTES = 64 * 1024 * 1024;
/** The longest time that the watch may occupy the event loop without a break. */
const SLICE_MS = 1;
const WRITE_EVERY_MS = 500;

export interface ShadowWatchOptions {
  onError: (error: unknown, what: string) => void;
  writeEveryMs?: number;
}

/** An intent that was created, and its outcome under the active policy. */
interface Observed {
  settings: ProjectSettings;
  intent: Intent;
  agent: PolicyAgent | null;
  outcome: PolicyOutcome;
  bytes: number;
}

/** A project's shadow policy at a revision. Null: the project has none. */
interface Known {
  revision: number;
  policy: CompiledPolicy | null;
}

/**
 * Evaluates shadow policies for new intents. It receives intents after their commit and works between requests. Nothing
 * waits for it. A failure here never affects an intent. Findings that are not written when the process ends are lost.
 */
export class ShadowWatch {
  /** Counts since the gate was opened, over all projects, for metrics. */
  readonly counts = { evaluated: 0, diverged: 0, missed: 0, failed: 0 };
  readonly #storage: Storage<ShadowReader, ShadowWriter>;
  readonly #options: ShadowWatchOptions;
  readonly #known = new Map<string, Known>();
  #waiting: Observed[] = [];
  /** The bytes of queued intents and of intents being evaluated. */
  #waitingBytes = 0;
  /** Keyed by project and hash of the shadow policy. */
  #findings = new Map<string, { projectId: string; hash: string; open: OpenFindings }>();
  #working: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(storage: Storage<ShadowReader, ShadowWriter>, options: ShadowWatchOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Queues a committed intent. Costs one look-up if the project has no shadow policy. Never throws. */
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

  /** Resolves when everything observed before the call is evaluated and written. */
  async settle(): Promise<void> {
    await this.#working;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#write();
  }

  /** Call it before the storage is closed. */
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
      // Takes intents off the batch one by one, so that an evaluated intent does not stay in memory until the batch
      // ends.
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

  /**
   * Reads the policy again whenever the project's revision has grown, because setting a shadow policy raises the
   * revision.
   */
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
    // The document was valid when it was set. Reports the error once and skips the policy, because parsing it again
    // would slow down every request.
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

  /** Writes run one after another, so that the list stays in order of time. */
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
        // Writes nothing if the shadow policy was replaced meanwhile.
        await this.#storage.transaction((tx) => tx.addShadowFindings(projectId, hash, findings, KEEP));
      } catch (error) {
        this.counts.missed += findings.evaluated;
        this.#options.onError(error, 'what a shadow policy found could not be written down');
      }
    }
  }
}
