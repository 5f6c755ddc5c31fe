import { CommandFailure, refused, usage } from '../command-failure.ts';
import { readSecretVariable } from '../input/secret-variable.ts';
import type { SimulationLine, SimulationQuestion } from './simulation-line.ts';

/** The key is in the environment: a secret does not belong on a command line. */
const KEY_VARIABLE = 'PERMITRY_API_KEY';

/** Simulates on a gate that listens somewhere. */
export async function askServer(
  url: string,
  project: string | undefined,
  question: SimulationQuestion,
  tell: (line: SimulationLine) => void,
): Promise<void> {
  const key = await readSecretVariable(KEY_VARIABLE);
  if (key === undefined) {
    throw usage(
      `With --url, set ${KEY_VARIABLE}, or ${KEY_VARIABLE}_FILE with a file that holds it: a secret key, or an access token of an admin.`,
    );
  }
  if (project === undefined) throw usage('With --url, name the project by its ID: --project prj_…');
  const base = url.replace(/\/+$/, '').replace(/\/v1$/, '');
  const path = `${base}/v1/projects/${encodeURIComponent(project)}/policies/simulate`;
  const response = await fetch(path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(question),
    // Never pass the key on to the target of a redirect.
    redirect: 'error',
  }).catch((cause: unknown) => {
    throw refused(`Cannot reach ${base}. Check the address, and that the gate is running.`, 'refused', cause);
  });
  if (!response.ok || response.body === null) throw await toFailure(response);
  if (response.headers.get('content-type')?.startsWith('application/json')) {
    tell({ type: 'summary', ...((await response.json()) as object) } as SimulationLine);
    return;
  }
  for await (const line of linesOf(response.body)) {
    const message = JSON.parse(line) as SimulationLine | { type: 'error'; error: { message: string } };
    if (message.type === 'error') throw refused(message.error.message);
    tell(message);
  }
}

async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    yield* lines;
  }
}

async function toFailure(response: Response): Promise<CommandFailure> {
  const body = (await response.json().catch(() => ({}))) as {
    error?: { message?: string; fields?: { path: string; message: string }[] };
  };
  const sentence =
    body.error?.message ??
    `The server answered ${response.status}. Check that --url is the address of a gate.`;
  return new CommandFailure(response.status === 400 ? 2 : 1, sentence);
}
