import {
  type IntentHashInput,
  type JsonObject,
  parseStrictJson,
  type ReceiptContent,
} from '@permitry/protocol';
import { type CommandFailure, usage } from '../command-failure.ts';
import { readInput } from '../input/read-input.ts';
import { findIntentIn } from './read-intent.ts';

/** A receipt as somebody kept it. Nothing of it is believed. */
export interface KeptReceipt {
  receipt: ReceiptContent | string;
  /** All that was hashed, where it was kept beside. */
  intent?: IntentHashInput;
}

/** Members in which a receipt stands: of surface A and the approval page's file, and of what pages are told. */
const PROPERTIES = ['receipt_v2', 'receipt'] as const;
const TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * `receipt_v2`, something that has one in it, or its `jws` alone.
 *
 * @throws CommandFailure
 */
export async function readReceipt(path: string): Promise<KeptReceipt> {
  const bytes = await readInput(path).catch((cause: unknown) => {
    throw usage(`${path} cannot be read; give a file with receipt_v2, or - for stdin.`, cause);
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
  return usage(`${path} has no receipt in it; give receipt_v2 of an approved intent.`);
}
