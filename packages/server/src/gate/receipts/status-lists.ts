import {
  encodeBase64url,
  encodeSigningInput,
  epochSeconds,
  STATUS_LIST_TYP,
  STATUS_TYPE,
  type StatusBits,
  StatusList as Statuses,
  type StatusListClaims,
  sha256Hex,
} from '@permitry/protocol';
import type { Clock } from '../kernel/clock.ts';
import { NewestKept } from '../kernel/newest-kept.ts';
import type { Signer } from '../kernel/signer.ts';
import { yieldToEventLoop } from '../kernel/yield-to-event-loop.ts';
import type { Losses } from '../restore/lost-commits.ts';
import type { ReceiptStatusReader } from '../tokens/receipt-status.ts';
import { firstIndexOfStatusList, RECEIPTS_PER_STATUS_LIST, statusListUri } from '../tokens/status-slot.ts';
import { CompromisedReceipts } from './compromised-receipts.ts';

/** A signed status list, as it is handed to anybody. */
export interface IssuedStatusList {
  /** JWS, `typ: statuslist+jwt`. */
  jws: string;
  /** Names exactly this token among all there were. */
  tag: string;
  /** Seconds for which it may still be kept. */
  maxAgeSeconds: number;
}

/** What the lists are made with. */
export interface StatusListParts {
  issuer: string;
  /** Sees only what is committed. */
  read: ReceiptStatusReader;
  clock: Clock;
  signer: Signer;
  losses: Losses;
  /** DEFLATE in the ZLIB format, as small as it gets. */
  pack(bytes: Uint8Array): Uint8Array;
}

/** How late a revocation may be noticed by whoever keeps a list as long as it allows. */
const TTL_SECONDS = 60;
/** How long an old list may be believed when no newer one can be had; then nothing is known. */
const LIFETIME_SECONDS = 300;
/** Valid, invalid, suspended. */
const BITS: StatusBits = 2;
/** Receipts looked at in one query: few enough that nobody waits behind it. */
const RANGE = 2048;
/** Tokens kept: those of 33 million receipts. */
const MOST_KEPT = 256;

/**
 * Keeping a list that is being filled while agents are inactive: an approval may still bring one of them a receipt, which
 * no revision tells. Anybody may ask for lists, so one that is full is not made anew that often.
 */
const KEPT_WHILE_INACTIVE_SECONDS = 5;

interface Made {
  revision: number;
  issuedAtSeconds: number;
  keptSeconds: number;
  kid: string;
  jws: string;
  tag: string;
}

/**
 * Makes the Token Status Lists of receipts (draft-ietf-oauth-status-list): two bits for each receipt, in lists that
 * all projects share. A list is made of committed data when it is asked for, and kept until something changes that
 * may show in one, or its `ttl` is over. Places that no receipt has read as valid, so a list tells nothing of how
 * many there are; only in a list that a restore cut off they read as revoked.
 */
export class StatusLists {
  readonly #parts: StatusListParts;
  readonly #compromised: CompromisedReceipts;
  readonly #kept = new NewestKept<number, Made>(MOST_KEPT);
  /** Those being made, by list and revision: who asks for the same waits for the same. */
  readonly #making = new Map<string, Promise<Made>>();

  constructor(parts: StatusListParts) {
    this.#parts = parts;
    this.#compromised = new CompromisedReceipts(parts);
  }

  /** The list of this number as of now; undefined for one that no receipt refers to. */
  async find(list: number): Promise<IssuedStatusList | undefined> {
    const { read } = this.#parts;
    if (!(await read.hasReceipts(firstIndexOfStatusList(list), firstIndexOfStatusList(list + 1))))
      return undefined;
    const revision = await read.findReceiptStatusRevision();
    const kept = this.#kept.get(list);
    const made =
      kept && kept.revision === revision && this.#isFresh(kept) ? kept : this.#make(list, revision);
    const issued = this.#toIssued(await made);
    await this.#parts.losses.poll();
    return issued;
  }

  #make(list: number, revision: number): Promise<Made> {
    const name = `${list} ${revision}`;
    const making =
      this.#making.get(name) ?? this.#sign(list, revision).finally(() => this.#making.delete(name));
    this.#making.set(name, making);
    return making;
  }

  /** The revision was read first: what changes while the rows are read makes the list only newer than it says. */
  async #sign(list: number, revision: number): Promise<Made> {
    const { issuer, clock, signer, pack } = this.#parts;
    const { statuses, anyInactive } = await this.#collect(list);
    const mayChangeUntold = anyInactive && (await this.#isFilling(list));
    const issuedAtSeconds = epochSeconds(clock.now());
    const claims: StatusListClaims = {
      iss: issuer,
      sub: statusListUri(issuer, list),
      iat: issuedAtSeconds,
      exp: issuedAtSeconds + LIFETIME_SECONDS,
      ttl: TTL_SECONDS,
      status_list: { bits: BITS, lst: encodeBase64url(pack(statuses.bytes)) },
    };
    const { kid, alg } = signer.current;
    const signingInput = encodeSigningInput({ alg, typ: STATUS_LIST_TYP, kid }, claims);
    const jws = `${signingInput}.${await signer.sign(kid, signingInput)}`;
    const keptSeconds = mayChangeUntold ? KEPT_WHILE_INACTIVE_SECONDS : TTL_SECONDS;
    const made = { revision, issuedAtSeconds, keptSeconds, kid, jws, tag: sha256Hex(jws).slice(0, 32) };
    this.#kept.keep(list, made);
    return made;
  }

  async #collect(list: number): Promise<{ statuses: Statuses; anyInactive: boolean }> {
    const { read } = this.#parts;
    const statuses = Statuses.ofSize(RECEIPTS_PER_STATUS_LIST, BITS);
    const first = firstIndexOfStatusList(list);
    const cutOff = await this.#isCutOff(list);
    const inactive = new Map((await read.listInactiveAgents()).map(({ id, status }) => [id, status]));
    for (let offset = 0; offset < RECEIPTS_PER_STATUS_LIST; offset += RANGE) {
      const from = first + offset;
      const to = from + RANGE;
      if (cutOff) await this.#refuseUnknown(statuses, first, from, to);
      const ofInactive = inactive.size > 0 ? await read.listReceiptsOfInactiveAgents(from, to) : [];
      for (const { receiptIndex, agentId } of ofInactive) {
        // An agent that is inactive only since these were read is in the list that its own change calls for.
        const status = inactive.get(agentId);
        if (status) statuses.set(receiptIndex - first, STATUS_OF_AGENT[status]);
      }
      // After the agents: what was taken back stays so, whatever its agent is.
      for (const index of await read.listRevokedReceipts(from, to)) {
        statuses.set(index - first, STATUS_TYPE.INVALID);
      }
      await yieldToEventLoop();
    }
    for (const index of await this.#compromised.find(list)) statuses.set(index - first, STATUS_TYPE.INVALID);
    return { statuses, anyInactive: inactive.size > 0 };
  }

  /** Until the one after it is full as well: places are reserved in blocks, and somebody may hold one for long. */
  async #isFilling(list: number): Promise<boolean> {
    return (await this.#parts.read.countReceiptIndexes()) <= firstIndexOfStatusList(list + 2);
  }

  /**
   * Whether the gate was restored from a copy while this list was being filled: places go on elsewhere, and none
   * follows this list. In what was lost, receipts may have been issued, and taken back, that the copy has never heard of.
   */
  async #isCutOff(list: number): Promise<boolean> {
    const { read } = this.#parts;
    const next = firstIndexOfStatusList(list + 1);
    const after = firstIndexOfStatusList(list + 2);
    return (await read.countReceiptIndexes()) > after && !(await read.hasReceipts(next, after));
  }

  /** Of a place without a receipt that is known here, nothing good may be said. */
  async #refuseUnknown(statuses: Statuses, first: number, from: number, to: number): Promise<void> {
    const known = new Set(await this.#parts.read.listReceiptIndexes(from, to));
    for (let index = from; index < to; index += 1) {
      if (!known.has(index)) statuses.set(index - first, STATUS_TYPE.INVALID);
    }
  }

  /** A clock set back must not let a list live longer, nor anything one that nobody can verify any more. */
  #isFresh({ issuedAtSeconds, keptSeconds, kid }: Made): boolean {
    if (!this.#parts.signer.publicKey(kid)) return false;
    const age = epochSeconds(this.#parts.clock.now()) - issuedAtSeconds;
    return age >= 0 && age < keptSeconds;
  }

  #toIssued({ jws, tag, issuedAtSeconds }: Made): IssuedStatusList {
    const age = epochSeconds(this.#parts.clock.now()) - issuedAtSeconds;
    return { jws, tag, maxAgeSeconds: Math.max(0, Math.min(TTL_SECONDS, TTL_SECONDS - age)) };
  }
}

const STATUS_OF_AGENT = { paused: STATUS_TYPE.SUSPENDED, revoked: STATUS_TYPE.INVALID } as const;
