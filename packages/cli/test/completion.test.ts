import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { permitry } from './fixtures/permitry.ts';

const scriptFor = async (shell: string) => (await permitry(['completion', shell])).stdout;

/** What bash would offer for this line, the last word being typed. */
function offered(script: string, ...words: string[]): string[] {
  const ask = `${script}
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _permitry; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['--norc', '-c', ask, 'bash', 'permitry', ...words], { encoding: 'utf8' });
  return out.split('\n').filter(Boolean);
}

describe('permitry completion', () => {
  test('bash offers commands, flags and their values', async () => {
    const script = await scriptFor('bash');
    expect(offered(script, 'appr')).toEqual(['approve']);
    expect(offered(script, 'keys', 'cr')).toEqual(['create']);
    expect(offered(script, 'keys', 'create', '--k')).toEqual(['--kind']);
    expect(offered(script, 'keys', 'create', '--kind', 'se')).toEqual(['secret']);
    expect(offered(script, 'policy', 'shadow', 's')).toEqual(['set', 'show']);
    expect(offered(script, 'inbox', '--url', '')).toEqual([]);
    expect(offered(script, 'run', '--', 'x')).toEqual([]);
    expect(offered(script, 'status', '--j')).toEqual(['--json']);
  });

  test.each(['bash', 'zsh', 'fish'])('the script for %s is read by it, where it is there', async (shell) => {
    const script = await scriptFor(shell);
    expect(script).toContain('promote-shadow');
    const { error, status, stderr } = spawnSync(shell, ['-n'], { input: script, encoding: 'utf8' });
    if (error === undefined) expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  test('another shell is refused', async () => {
    expect(await permitry(['completion', 'tcsh'])).toMatchObject({ code: 2, stdout: '' });
  });
});
