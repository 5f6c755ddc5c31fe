import { Readable } from 'node:stream';
import type { JsonObject } from '@permitry/protocol';
import type { FastifyReply } from 'fastify';

/** JSON texts, one per line. */
export const NDJSON = 'application/x-ndjson';

/**
 * Answers line by line, as the lines come and no faster than the client reads. Ends `lines` when the client goes away.
 */
export function answerInLines(reply: FastifyReply, lines: AsyncIterable<JsonObject>): FastifyReply {
  return reply.type(NDJSON).send(Readable.from(toTexts(lines)));
}

async function* toTexts(lines: AsyncIterable<JsonObject>): AsyncGenerator<string, void, void> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`;
}

const PIECE_LENGTH = 64 * 1024;

/**
 * Answers with JSON texts that nobody awaits individually. Sends many in one piece, because a write costs more than a
 * line.
 */
export function answerInPieces(reply: FastifyReply, lines: AsyncIterable<string>): FastifyReply {
  return reply.type(NDJSON).send(Readable.from(toPieces(lines)));
}

async function* toPieces(lines: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let piece = '';
  for await (const line of lines) {
    piece += `${line}\n`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
