import type { Client, StandardSchemaV1 } from '@modelcontextprotocol/client';
import { MOST_TOOLS } from '../../gate/upstreams/read-definition.ts';
import { errorAfterSending } from './upstream-error.ts';
import type { UpstreamPatience } from './upstream-patience.ts';

const MOST_PAGES = 50;

/** Accepts any answer: `readDefinitions` checks the definitions one by one. */
const AS_IT_IS: StandardSchemaV1<unknown, { tools?: unknown; nextCursor?: unknown }> = {
  '~standard': {
    version: 1,
    vendor: 'permitry',
    validate: (value) => ({
      value: typeof value === 'object' && value !== null ? (value as { tools?: unknown }) : {},
    }),
  },
};

/**
 * Lists the tools of all pages as received. @throws UpstreamError for a list that is too long, or an error of the
 * client
 */
export async function listTools(
  client: Client,
  { requestMs, listMs, mostAnswerBytes }: Pick<UpstreamPatience, 'requestMs' | 'listMs' | 'mostAnswerBytes'>,
): Promise<readonly unknown[]> {
  const until = performance.now() + listMs;
  const tools: unknown[] = [];
  let characters = 0;
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const left = until - performance.now();
    if (left <= 0) throw errorAfterSending('It did not answer in time.');
    const answer = await client.request(
      { method: 'tools/list', params: cursor === undefined ? {} : { cursor } },
      AS_IT_IS,
      { timeout: Math.min(requestMs, left) },
    );
    if (!Array.isArray(answer.tools)) throw errorAfterSending('It lists no tools.');
    // Limits all pages together, because listing a project's tools reads all of them.
    characters += JSON.stringify(answer.tools).length;
    if (characters > mostAnswerBytes)
      throw errorAfterSending(`Its list of tools is larger than ${Math.floor(mostAnswerBytes / 1024)} KiB.`);
    tools.push(...answer.tools);
    if (tools.length > MOST_TOOLS) throw errorAfterSending(`It lists more than ${MOST_TOOLS} tools.`);
    if (typeof answer.nextCursor !== 'string') return tools;
    cursor = answer.nextCursor;
  }
  throw errorAfterSending('Its list of tools does not end.');
}
