/**
 * Owns how texts about people leave the gate: by intent, by person, and by age. The rest is enough to verify every
 * permit, receipt and record as before: hashes, ids, times and outcomes.
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

/** The rest of a receipt. */
interface ErasedReceipt {
  kid: string;
  /** "sha256:…" of the whole `jws`. */
  jwsHash: string;
}

/** A stored answer that contains a text, by the request that it answered. */
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

/** One step of a long search. `next` is where to continue; null at the end. */
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
   * Also erases the tokens of its permits and its receipt, which name the approvers.
   *
   * @param intent As read in this transaction.
   * @param permitIds All permits that were issued for it.
   * @throws when it is pending
   */
  eraseIntentTexts(
    intent: Intent,
    permitIds: readonly string[],
    texts: IntentTexts,
    at: Instant,
  ): Promise<void>;
  /** Replaces the addresses of those who voted with their ids. */
  eraseApproverNames(intentId: string): Promise<void>;
  /** The same for one voter. */
  eraseApproverName(intentId: string, userId: string): Promise<void>;
  eraseEventTexts(projectId: string, seq: number, texts: EventTexts): Promise<void>;
  /** The request remains known as answered, but the answer is gone. */
  eraseAnswer(answer: FoundAnswer): Promise<void>;
  /**
   * Names of the project's keys that the person answers for. Also of their user tokens if they are not a member
   * anywhere.
   */
  eraseKeyNames(projectId: string, ownerId: string): Promise<void>;
  /**
   * Replaces the address of a policy's or proposal's author with the id. Erases their comments on proposals, and
   * documents of resolved proposals that name them.
   */
  eraseAuthor(projectId: string, email: string, userId: string): Promise<void>;
  /** Erases address and name. Returns false, and erases nothing, if they are a member of a project. */
  eraseUser(userId: string): Promise<boolean>;
}

/** The status of a stored answer that was erased. */
export const ERASED_ANSWER_STATUS = 0;
