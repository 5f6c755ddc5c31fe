import { Transform } from 'node:stream';
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { parseStrictJson, StrictJsonError } from '@permitry/protocol';
import { isObject } from '../is-object.ts';
import type { Id } from './messages.ts';

const LINE_END = 0x0a;
/** JSON-RPC: the JSON is not valid. */
const PARSE_ERROR = -32700;

/**
 * Passes a client's lines on, except for tool calls that two readers could read differently. The transport drops digits
 * that a double cannot hold, so an approver would see a different number than the model wrote.
 *
 * @param answer Tells the client why its call was not passed on.
 */
export function passStrictCalls(answer: (refusal: JSONRPCMessage) => void): Transform {
  let rest = Buffer.alloc(0);
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      // Only new data can contain the end of the line that is still open.
      let searched = rest.length;
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(LINE_END, searched); end >= 0; end = rest.indexOf(LINE_END, searched)) {
        const line = rest.subarray(0, end + 1);
        rest = rest.subarray(end + 1);
        searched = 0;
        const refusal = refusalOf(line);
        if (refusal === undefined) this.push(line);
        else answer(refusal);
      }
      done();
    },
  });
}

function refusalOf(line: Buffer): JSONRPCMessage | undefined {
  const message = parseAnyhow(line);
  // The transport reports input that is not JSON.
  if (!isObject(message) || message.method !== 'tools/call') return undefined;
  try {
    parseStrictJson(line);
    return undefined;
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const text = `The call was not read: ${error.message} Nothing was run.`;
    return { jsonrpc: '2.0', id: message.id as Id, error: { code: PARSE_ERROR, message: text } };
  }
}

function parseAnyhow(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}
