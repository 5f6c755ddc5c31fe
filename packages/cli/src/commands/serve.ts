import type { Command } from 'commander';
import { databaseOption, dataOption, examples } from '../command-options.ts';
import type { ServeFlags } from '../serving/serve.ts';

export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .summary('start the gate')
    .description(
      'Starts the gate. An empty data directory, or database, gets a first project in test mode: its keys and a set-up link are shown on a terminal, and written to DATA/credentials.json (mode 0600) without one.',
    )
    .addOption(dataOption())
    .addOption(databaseOption())
    .option('--port <n>', 'port, 0 for any free one (PERMITRY_PORT; 8787 when left out)')
    .option('--host <h>', 'address to listen on (PERMITRY_HOST; 127.0.0.1 when left out)')
    .option('--base-url <url>', 'the address people and agents use (PERMITRY_BASE_URL)')
    .option(
      '--rate-limit <n>',
      'requests per minute and project, 0 for no limit (PERMITRY_RATE_LIMIT_PER_MINUTE)',
    )
    .option('--log-level <level>', 'fatal, error, warn, info, debug, trace or silent (PERMITRY_LOG_LEVEL)')
    .option('--trust-proxy <whom>', 'whose X-Forwarded-For is believed (PERMITRY_TRUST_PROXY)')
    .option(
      '--retention-days <n>',
      'erase texts about people after so many days, 0 for never (PERMITRY_RETENTION_DAYS)',
    )
    .option('--metrics-port <n>', 'port of its own for /metrics (PERMITRY_METRICS_PORT)')
    .option(
      '--check',
      'only say whether settings, database, keys, clock and disk are fit; change nothing, beside a gate that runs as well',
    )
    .option('--json', 'say where it listens as one line of JSON on stdout')
    .addHelpText(
      'after',
      examples(
        'permitry serve',
        'permitry serve --data /var/lib/permitry --base-url https://gate.example.org',
        'permitry serve --data /var/lib/permitry --check',
      ),
    )
    .action(serve);
}

async function serve({ check, ...flags }: ServeFlags & { check?: true }): Promise<void> {
  if (check) return (await import('../serving/check-serving.ts')).checkServing(flags);
  return (await import('../serving/serve.ts')).serve(flags);
}
