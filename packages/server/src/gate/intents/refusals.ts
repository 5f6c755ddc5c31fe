import { type Caller, isPerson, toActor } from '../access/caller.ts';
import { seesProject } from '../access/scopes.ts';
import { recordEvent } from '../audit/record-event.ts';
import { seesIntent } from './find-intent.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/** A request that the caller is not allowed to make. */
export interface Refusal {
  /** The route as the HTTP surface names it, e.g. `POST /v1/intents/:id/approve`. */
  route: string;
  /** The scope that was missing, if one was. */
  required?: string;
  /** The project of the request, if the request names a project. */
  projectId?: string;
  /** The intent of the request, if the request names an intent. */
  intentId?: string;
}

/**
 * The limit per credential and route: enough to see the attempts. A runaway agent must not fill the audit log, nor hide
 * an attempt to approve among reads.
 */
const RECORDED_PER_MINUTE = 10;

/** Writes `access.refused` into the project's audit log, a bounded number of times per credential, route and minute. */
export class Refusals {
  readonly #gate: IntentDeps;
  #minute = '';
  #counts = new Map<string, number>();

  constructor(gate: IntentDeps) {
    this.#gate = gate;
  }

  /** Resolves true once the refusal is recorded. False when the limit is reached or no project can be named. */
  async record(caller: Caller, refusal: Refusal): Promise<boolean> {
    const intent = await this.#findVisible(caller, refusal.intentId);
    const projectId = intent?.projectId ?? concernedProject(caller, refusal.projectId);
    if (projectId === undefined || !this.#countIn(`${caller.credentialId} ${refusal.route}`)) return false;
    const { route, required = null } = refusal;
    await this.#gate.storage.transaction(
      (tx) =>
        recordEvent(this.#gate, tx, {
          projectId,
          type: 'access.refused',
          occurredAt: this.#gate.clock.now(),
          actor: toActor(caller),
          intentId: intent?.id ?? null,
          data: { route, required },
          // This member may name possible approvers by address.
          personal: required === null ? [] : ['/data/required'],
        }),
      { guarded: true },
    );
    return true;
  }

  /** An intent that the caller cannot see is left out of the refusal's record. */
  async #findVisible(caller: Caller, intentId: string | undefined): Promise<Intent | undefined> {
    const intent = intentId === undefined ? undefined : await this.#gate.storage.read.findIntent(intentId);
    return intent && seesIntent(caller, intent) ? intent : undefined;
  }

  #countIn(counter: string): boolean {
    const minute = this.#gate.clock.now().slice(0, 16);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#counts = new Map();
    }
    const count = (this.#counts.get(counter) ?? 0) + 1;
    this.#counts.set(counter, count);
    return count <= RECORDED_PER_MINUTE;
  }
}

/**
 * A person may be in many projects. The project that the request names records the refusal. Without a name, only a
 * person's sole project does.
 */
function concernedProject(caller: Caller, named: string | undefined): string | undefined {
  if (named !== undefined && seesProject(caller, named)) return named;
  if (caller.kind === 'operator') return undefined;
  if (!isPerson(caller)) return caller.projectId;
  return caller.memberships.length === 1 ? caller.memberships[0]?.projectId : undefined;
}
