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

/** A signed status list, as anybody may receive it. */
export interface IssuedStatusList {
  /** JWS, `typ: statuslist+jwt`. */
  jws: string;
  /** Identifies this token among all tokens that ever existed. */
  tag: string;
  /** Seconds for which the list may still be cached. */
  maxAgeSeconds: number;
}

/** Dependencies of the lists. */
export interface StatusListParts {
  issuer: string;
  /** Sees only committed data. */
  read: ReceiptStatusReader;
  clock: Clock;
  signer: Signer;
  losses: Losses;
  /** DEFLATE in the ZLIB format, as small as possible. */
  pack(bytes: Uint8Array): Uint8Array;
}

/** The longest time for which a client may cache a list, and so miss a revocation. */
const TTL_SECONDS = 60;
/** How long an old list is valid when no newer list is available. After that the status is unknown. */
const LIFETIME_SECONDS = 300;
/** Valid, invalid, suspended. */
const BITS: StatusBits = 2;
/** Receipts per query: so few that other work does not wait for long. */
const RANGE = 2048;
/** Maximum number of cached tokens, enough for 33 million receipts. */
const MOST_KEPT = 256;

/**
 * How long to cache a list that is being filled while agents are inactive. An approval may give such an agent a new
 * receipt, and the revision does not show that. A full list is cached for longer, because anybody may request lists.
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
 * Builds the Token Status Lists of receipts (draft-ietf-oauth-status-list): two bits for each receipt, in lists that
 * all projects share. Builds a list from committed data on request, and caches it until its `ttl` is over or something
 * in it may have changed. Unused places read as valid, so a list does not reveal how many receipts exist. If a restore
 * cut a list off, its unused places read as revoked.
 */
export class StatusLists {
  readonly #parts: StatusListParts;
  readonly #compromised: CompromisedReceipts;
  readonly #kept = new NewestKept<number, Made>(MOST_KEPT);
  /** Lists in progress, by list and revision, so that equal requests share one result. */
  readonly #making = new Map<string, Promise<Made>>();

  constructor(parts: StatusListParts) {
    this.#parts = parts;
    this.#compromised = new CompromisedReceipts(parts);
  }

  /** The current list of this number. Undefined for a list that no receipt refers to. */
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

  /**
   * Call it with a revision that was read first. A change while the rows are read only makes the list newer than its
   * revision.
   */
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
        // An agent that became inactive after the first read appears in the next list, which the agent's own change
        // triggers.
        const status = inactive.get(agentId);
        if (status) statuses.set(receiptIndex - first, STATUS_OF_AGENT[status]);
      }
      // Set after the agents, because a revoked receipt stays revoked, whatever its agent's status.
      for (const index of await read.listRevokedReceipts(from, to)) {
        statuses.set(index - first, STATUS_TYPE.INVALID);
      }
      await yieldToEventLoop();
    }
    for (const index of await this.#compromised.find(list)) statuses.set(index - first, STATUS_TYPE.INVALID);
    return { statuses, anyInactive: inactive.size > 0 };
  }

  /**
   * Whether the list may still get receipts. A gate may keep a reserved block of places for long, so that ends only
   * when the next list is full as well.
   */
  async #isFilling(list: number): Promise<boolean> {
    return (await this.#parts.read.countReceiptIndexes()) <= firstIndexOfStatusList(list + 2);
  }

  /**
   * Whether the gate was restored from a copy while this list was being filled. New places are then in later lists, and
   * this list gets no more receipts. The lost part may include issued and revoked receipts that the copy does not know.
   */
  async #isCutOff(list: number): Promise<boolean> {
    const { read } = this.#parts;
    const next = firstIndexOfStatusList(list + 1);
    const after = firstIndexOfStatusList(list + 2);
    return (await read.countReceiptIndexes()) > after && !(await read.hasReceipts(next, after));
  }

  /** A place without a known receipt must not read as valid. */
  async #refuseUnknown(statuses: Statuses, first: number, from: number, to: number): Promise<void> {
    const known = new Set(await this.#parts.read.listReceiptIndexes(from, to));
    for (let index = from; index < to; index += 1) {
      if (!known.has(index)) statuses.set(index - first, STATUS_TYPE.INVALID);
    }
  }

  /**
   * False if the clock was set back, so that this does not extend a list's life. False too if the signing key was
   * withdrawn, because nobody can verify the list then.
   */
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
