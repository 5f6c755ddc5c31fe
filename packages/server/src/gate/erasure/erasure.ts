/**
 * Owns how texts about people leave the gate: by intent, by person, and by age. The rest stays: hashes, ids, times and
 * outcomes. It is enough to verify every permit, receipt and record as before.
 */
import type { AuditCommitment, JsonObject } from '@permitry/protocol';
import type { Intent } from '../intents/intent.ts';
import type { Instant } from '../kernel/instant.ts';
import type { FilesState } from './unfinished-erasure.ts';

/** The members of an intent that hold texts. */
export type IntentTexts = Pick<
  Intent,
  | 'params'
  | 'metadata'
  | 'source'
  | 'reason'
  | 'requester'
  | 'approvers'
  | 'requirement'
  | 'approvals'
  | 'resolvedBy'
  | 'approvedBy'
  | 'extensionRequest'
>;

/** The parts of an audit event that may be erased. Its hash covers the rest. */
export interface EventTexts {
  display: string | null;
  data: JsonObject;
  commitments: Readonly<Record<string, AuditCommitment>>;
}

/** What remains of an erased receipt. */
interface ErasedReceipt {
  kid: string;
  /** "sha256:…" of the whole `jws`. */
  jwsHash: string;
}

/** A stored answer that contains a text, and the request that it answered. */
export interface FoundAnswer {
  scope: string;
  key: string;
}

/** How much was erased. */
export interface Erasure {
  intents: number;
  /** Audit records whose texts were erased. */
  records: number;
  /** Stored answers. */
  answers: number;
  files: FilesState;
}

/** One step of a long search. `next` is where to continue. Null at the end. */
export interface Found<T> {
  items: readonly T[];
  next: number | null;
}

export interface ErasureReader {
  /** Intents of the project that contain the text anywhere, ignoring case. Start from 0. */
  findIntentsWithText(projectId: string, text: string, from: number): Promise<Found<string>>;
  /** Stored answers that contain the text. Start from 0. */
  findAnswersWithText(text: string, from: number): Promise<Found<FoundAnswer>>;
  findErasedReceipt(receiptIndex: number): Promise<ErasedReceipt | undefined>;
  /** The number of versions of the project's policy that contain the text. */
  countPoliciesWithText(projectId: string, text: string): Promise<number>;
}

export interface ErasureWriter {
  /**
   * Also erases the tokens of the intent's permits and receipt, which name the approvers.
   *
   * @param intent As read in this transaction.
   * @param permitIds All permits that were issued for the intent.
   * @throws when the intent is pending
   */
  eraseIntentTexts(
    intent: Intent,
    permitIds: readonly string[],
    texts: IntentTexts,
    at: Instant,
  ): Promise<void>;
  /** Replaces the address of each voter with their id. */
  eraseApproverNames(intentId: string): Promise<void>;
  /** Like `eraseApproverNames`, for one voter. */
  eraseApproverName(intentId: string, userId: string): Promise<void>;
  eraseEventTexts(projectId: string, seq: number, texts: EventTexts): Promise<void>;
  /** Erases the answer. The request still counts as answered. */
  eraseAnswer(answer: FoundAnswer): Promise<void>;
  /**
   * Erases the names of the project's keys that the person answers for. If the person is not a member anywhere, also
   * erases the names of their user tokens.
   */
  eraseKeyNames(projectId: string, ownerId: string): Promise<void>;
  /**
   * Replaces the address of a policy's or proposal's author with the id. Erases the author's comments on proposals, and
   * the documents of resolved proposals that name the author.
   */
  eraseAuthor(projectId: string, email: string, userId: string): Promise<void>;
  /** Erases address and name. Returns false, and erases nothing, if the person is a member of a project. */
  eraseUser(userId: string): Promise<boolean>;
}

/** The status of a stored answer that was erased. */
export const ERASED_ANSWER_STATUS = 0;
