import { type Caller, isPerson, toActor } from '../access/caller.ts';
import { seesProject } from '../access/scopes.ts';
import { recordEvent } from '../audit/record-event.ts';
import { seesIntent } from './find-intent.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/** What somebody asked for and may not do. */
export interface Refusal {
  /** As the door names it, e.g. `POST /v1/intents/:id/approve`. */
  route: string;
  /** The scope that was missing, where one was. */
  required?: string;
  /** The project it was asked of, where the request says so. */
  projectId?: string;
  /** The intent it was asked of, where the request says so. */
  intentId?: string;
}

/**
 * Of one credential and one route. Enough to see what is tried; a runaway agent must not fill the ledger with it, nor hide
 * a try to approve behind reads.
 */
const RECORDED_PER_MINUTE = 10;

/** Writes `access.refused` into the ledger of the project, a bounded number of times per credential, route and minute. */
export class Refusals {
  readonly #gate: IntentDeps;
  #minute = '';
  #counts = new Map<string, number>();

  constructor(gate: IntentDeps) {
    this.#gate = gate;
  }

  /** Resolves once it is recorded; false where it is not, because it is one too many or no project can be named. */
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
          // Who may decide is named in what was required, by address.
          personal: required === null ? [] : ['/data/required'],
        }),
      { guarded: true },
    );
    return true;
  }

  /** What the caller does not see, its refusal does not name. */
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

/** A person is in many projects; only one that the request names, or the only one there is, is told. */
function concernedProject(caller: Caller, named: string | undefined): string | undefined {
  if (named !== undefined && seesProject(caller, named)) return named;
  if (caller.kind === 'operator') return undefined;
  if (!isPerson(caller)) return caller.projectId;
  return caller.memberships.length === 1 ? caller.memberships[0]?.projectId : undefined;
}
