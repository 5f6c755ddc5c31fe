import { parseStrictJson, type ReceiptContent } from '@permitry/protocol';
import { CommandFailure } from '../command-failure.ts';
import { readInput } from '../read-input.ts';

/** Members of answers in which a receipt stands: surface A, and what a page shows of an intent. */
const PLACES = ['receipt_v2', 'receipt'] as const;

/**
 * A receipt as somebody kept it: `receipt_v2`, an answer that has one in it, or its `jws` alone. What it is worth is
 * not looked at.
 *
 * @throws CommandFailure
 */
export async function readReceipt(path: string): Promise<ReceiptContent | string> {
  const bytes = await readInput(path).catch((cause: unknown) => {
    throw new CommandFailure(2, `${path} cannot be read; give a file with receipt_v2, or - for stdin.`, {
      cause,
    });
  });
  const text = bytes.toString('latin1').trim();
  if (/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/.test(text)) return text;
  const value = parse(bytes, path);
  const found = PLACES.map((place) => value[place]).find((each) => typeof each === 'object' && each !== null);
  const receipt = (found ?? value) as Partial<ReceiptContent>;
  if (typeof receipt.jws !== 'string') {
    throw new CommandFailure(2, `${path} has no receipt in it; give receipt_v2 of an approved intent.`);
  }
  return receipt as ReceiptContent;
}

function parse(bytes: Uint8Array, path: string): Record<string, unknown> {
  try {
    const value = parseStrictJson(bytes);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw new CommandFailure(2, `${path} is neither JSON nor a token.`, { cause });
  }
  throw new CommandFailure(2, `${path} has no receipt in it; give receipt_v2 of an approved intent.`);
}
