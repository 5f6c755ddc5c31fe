import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { type RunningServer, startServer } from '../../src/main.ts';
import { openGate } from '../../src/open-gate.ts';
import { type FirstCredentials, initialiseGate } from '../../src/people/initialise-gate.ts';
import { REFUND } from '../fixtures/approved-intent.ts';

let dataDir: string;
let first: FirstCredentials;
let child: ChildProcess;
let ended: Promise<unknown>;
let url: string;
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'permitry-test-'));
  const opened = await openGate({ database: { directory: dataDir }, issuer: 'http://localhost:4000' });
  first = await initialiseGate(opened.gate, {
    mode: 'test',
    projectName: 'First',
    ownerEmail: 'o@localhost',
  });
  await opened.close();
  url = await serveInAnotherProcess();
});
afterEach(async () => {
  child.kill('SIGKILL');
  await ended;
  rmSync(dataDir, { recursive: true, force: true });
});

function settings() {
  return {
    PERMITRY_DATA: dataDir,
    PERMITRY_PORT: '0',
    PERMITRY_LOG_LEVEL: 'silent',
  };
}

async function serveInAnotherProcess(): Promise<string> {
  const source = join(import.meta.dirname, '../../src');
  const program = `
    import { readConfig } from '${source}/config.ts';
    import { startServer } from '${source}/main.ts';
    console.log((await startServer(readConfig(JSON.parse(process.argv[1])))).url);`;
  child = spawn(process.execPath, ['--input-type=module', '-e', program, JSON.stringify(settings())]);
  ended = new Promise((resolve) => child.on('close', resolve));
  return new Promise((resolve, reject) => {
    let complaint = '';
    child.stdout?.on('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.stderr?.on('data', (chunk: Buffer) => {
      complaint += chunk;
    });
    void ended.then(() => reject(new Error(`the server ended: ${complaint}`)));
  });
}

function start(): Promise<RunningServer> {
  return startServer(readConfig(settings()));
}

async function create(base: string): Promise<number> {
  const answer = await fetch(`${base}/v1/intents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${first.agent_key}`, 'content-type': 'application/json' },
    body: JSON.stringify(REFUND),
  });
  return answer.status;
}

it('a second server on a directory refuses to start, says why, and leaves the first one serving', async () => {
  await expect(start()).rejects.toThrow(
    `Another server is serving ${dataDir} already; stop it first, or use another --data.`,
  );
  expect(await create(url)).toBe(201);
  await expect(start()).rejects.toThrow('Another server is serving');
});

it('a new server starts after the earlier one was killed or closed', async () => {
  child.kill('SIGKILL');
  await ended;
  const second = await start();
  expect(await create(second.url)).toBe(201);
  await expect(start()).rejects.toThrow('Another server is serving');
  await second.close();
  const third = await start();
  expect(await create(third.url)).toBe(201);
  await third.close();
});

it('the command line can change data while a server has the directory', async () => {
  const opened = await openGate({ database: { directory: dataDir }, issuer: 'http://localhost:4000' });
  const project = await opened.gate.storage.read.findProject(first.project_id);
  expect(project?.id).toBe(first.project_id);
  await opened.gate.storage.transaction((tx) => tx.bumpProjectRevision(first.project_id));
  await opened.close();
  expect(await create(url)).toBe(201);
});
