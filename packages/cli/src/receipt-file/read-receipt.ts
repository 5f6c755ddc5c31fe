import {
  type IntentHashInput,
  type JsonObject,
  parseStrictJson,
  type ReceiptContent,
} from '@permitry/protocol';
import { type CommandFailure, usage } from '../command-failure.ts';
import { readInput } from '../input/read-input.ts';
import { findIntentIn } from './read-intent.ts';

/** A receipt as read from a file. None of it is trusted. */
export interface KeptReceipt {
  receipt: ReceiptContent | string;
  /** Everything that was hashed, if it was kept with the receipt. */
  intent?: IntentHashInput;
}

/**
 * Members that contain a receipt. `receipt_v2`: in surface A and the approval page's file. `receipt`: in the data of
 * pages.
 */
const PROPERTIES = ['receipt_v2', 'receipt'] as const;
const TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * `receipt_v2`, an object that contains one, or only its `jws`.
 *
 * @throws CommandFailure
 */
export async function readReceipt(path: string): Promise<KeptReceipt> {
  const bytes = await readInput(path).catch((cause: unknown) => {
    throw usage(`Cannot read ${path}. Pass a file with receipt_v2, or - for stdin.`, cause);
  });
  const text = bytes.toString('latin1').trim();
  if (TOKEN.test(text)) return { receipt: text };
  const file = parse(bytes, path);
  const found = PROPERTIES.map((property) => file[property]).find(
    (each) => typeof each === 'object' && each !== null,
  );
  const receipt = (found ?? file) as Partial<ReceiptContent>;
  if (typeof receipt.jws !== 'string') throw noReceipt(path);
  const intent = findIntentIn(file);
  return { receipt: receipt as ReceiptContent, ...(intent === undefined ? {} : { intent }) };
}

function parse(bytes: Uint8Array, path: string): JsonObject {
  let value: unknown;
  try {
    value = parseStrictJson(bytes);
  } catch (cause) {
    throw usage(`${path} is neither JSON nor a token.`, cause);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw noReceipt(path);
  return value as JsonObject;
}

function noReceipt(path: string): CommandFailure {
  return usage(`${path} contains no receipt. Pass receipt_v2 of an approved request.`);
}
