/**
 * A dangerous action from end to end, with real parts: a gate run by `permitry serve`, an agent in its own process, and
 * you at the terminal. The demo checks every answer. An unexpected answer ends the demo with exit code 1.
 */
import { clearLeftovers, type Leftovers } from './leftovers.ts';
import { Narrator, paint, UnexpectedAnswerError } from './narrator.ts';
import { openScene, type Scene } from './scene.ts';
import { askForRefund, decideRefund } from './steps/hold-and-decide.ts';
import { pauseAgent } from './steps/pause-agent.ts';
import { readAudit } from './steps/read-audit.ts';
import { setPolicy } from './steps/set-policy.ts';
import { showPermit } from './steps/show-permit.ts';
import { usePermit } from './steps/use-permit.ts';
import { verifyOffline } from './steps/verify-offline.ts';

async function play(scene: Scene): Promise<void> {
  const { token } = await decideRefund(scene, await askForRefund(scene));
  await showPermit(scene, token);
  await usePermit(scene, token);
  const smallPermit = await setPolicy(scene);
  await pauseAgent(scene, smallPermit);
  await readAudit(scene);
  await verifyOffline(scene, token);
}

function introduce({ narrator, gate, agent, directory }: Scene): void {
  narrator.title(
    'Permitry: one refund, from the request to the proof',
    'A real gate, a real agent, and you. Every call below is made now, and its answer is checked (✓).',
  );
  narrator.line();
  narrator.does('gate', `GATE=${gate.url}   ${paint('gray', `process ${gate.pid}, data in ${directory}`)}`);
  narrator.does('agent', `process ${agent.pid}, with an agent key: it sends requests and never decides`);
  narrator.does('owner', `${gate.credentials.owner_email}, with a secret key: decides and manages`);
  narrator.does(
    'payments',
    'the service that moves the money, with a verifier key: verifies and uses permits',
  );
  narrator.why(
    'Not shown in the curl lines: -H "Authorization: Bearer <that one’s key>" and -H "Content-Type: application/json".',
  );
}

/** Returns the exit code. */
async function tell(narrator: Narrator, leftovers: Leftovers): Promise<number> {
  const startedAt = performance.now();
  try {
    const scene = await openScene(narrator, leftovers);
    introduce(scene);
    await play(scene);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    narrator.line(`\n ${paint(['bold', 'green'], `Every answer was the expected one (${seconds} s).`)}`);
    narrator.line(' Your own gate: npm start. Ten lines of curl: README.md.\n');
    return 0;
  } catch (error) {
    const what = error instanceof UnexpectedAnswerError ? 'Not the expected answer' : 'The demo stopped';
    const why = error instanceof Error ? error.message : String(error);
    narrator.line(`\n ${paint(['bold', 'red'], `${what}: ${why}`)}\n`);
    return 1;
  }
}

const HELP = `Usage: npm run demo

Plays one refund from the request to the proof: it starts a gate and an agent in
a temporary folder, shows every call and checks every answer. At a terminal it
asks you once to decide, for three seconds. It leaves nothing behind.

Options:
  -h, --help  show help

Exit codes: 0 every answer was the expected one; 1 one was not; 2 the command
line cannot be used as given.
`;

const [argument] = process.argv.slice(2);
if (argument === '--help' || argument === '-h') process.stdout.write(HELP);
else if (argument !== undefined) {
  process.stderr.write(`demo: unknown argument ${JSON.stringify(argument)}; see: npm run demo -- --help\n`);
  process.exitCode = 2;
} else {
  const leftovers = clearLeftovers();
  await leftovers.end(await tell(new Narrator(), leftovers));
}
