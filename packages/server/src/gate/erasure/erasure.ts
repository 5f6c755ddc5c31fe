/**
 * Owns how texts about people leave the gate: by intent, by person, and by age. What is left is enough to say the same
 * as before of every permit, receipt and record: hashes, ids, times and outcomes.
 */
import type { AuditCommitment, JsonObject } from '@permitry/protocol';
import type { Intent } from '../intents/intent.ts';
import type { Instant } from '../kernel/instant.ts';
import type { FilesState } from './unfinished-erasure.ts';

/** Of an intent, the members that hold texts. */
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

/** Of an audit event, what may be erased: the rest is under its hash. */
export interface EventTexts {
  display: string | null;
  data: JsonObject;
  commitments: Readonly<Record<string, AuditCommitment>>;
}

/** What is left of a receipt. */
interface ErasedReceipt {
  kid: string;
  /** "sha256:…" of the whole `jws`. */
  jwsHash: string;
}

/** A remembered answer that holds a text, by the request it was given to. */
export interface FoundAnswer {
  scope: string;
  key: string;
}

/** How much was erased. */
export interface Erasure {
  intents: number;
  /** Audit records that lost a text. */
  records: number;
  /** Remembered answers. */
  answers: number;
  files: FilesState;
}

/** Part of a long search: `next` is where to go on, null at the end. */
export interface Found<T> {
  items: readonly T[];
  next: number | null;
}

export interface ErasureReader {
  /** Intents of the project in which the text stands anywhere, upper and lower case alike; at first from 0. */
  findIntentsWithText(projectId: string, text: string, from: number): Promise<Found<string>>;
  /** Remembered answers in which the text stands; at first from 0. */
  findAnswersWithText(text: string, from: number): Promise<Found<FoundAnswer>>;
  findErasedReceipt(receiptIndex: number): Promise<ErasedReceipt | undefined>;
  /** Versions of the project's policy in which the text stands. */
  countPoliciesWithText(projectId: string, text: string): Promise<number>;
}

export interface ErasureWriter {
  /**
   * With the tokens of its permits and its receipt, which name those who approved.
   *
   * @param intent As read in this transaction.
   * @param permitIds Of all permits that were issued for it.
   * @throws when it is pending
   */
  eraseIntentTexts(
    intent: Intent,
    permitIds: readonly string[],
    texts: IntentTexts,
    at: Instant,
  ): Promise<void>;
  /** In place of the addresses of those who voted stand their ids. */
  eraseApproverNames(intentId: string): Promise<void>;
  /** The same for one of them. */
  eraseApproverName(intentId: string, userId: string): Promise<void>;
  eraseEventTexts(projectId: string, seq: number, texts: EventTexts): Promise<void>;
  /** The request stays known as answered; what was answered is gone. */
  eraseAnswer(answer: FoundAnswer): Promise<void>;
  /** Names of the project's keys that the person answers for; of their user tokens when they are a member nowhere. */
  eraseKeyNames(projectId: string, ownerId: string): Promise<void>;
  /**
   * In place of the address, as author of policies and in proposals of them, stands the id; what they wrote beside
   * proposals goes, and documents of resolved ones that name them.
   */
  eraseAuthor(projectId: string, email: string, userId: string): Promise<void>;
  /** Address and name, unless they are a member of a project: false then. */
  eraseUser(userId: string): Promise<boolean>;
}

/** A remembered answer of this status was erased. */
export const ERASED_ANSWER_STATUS = 0;
