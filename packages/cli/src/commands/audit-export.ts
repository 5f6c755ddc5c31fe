import type { Command } from 'commander';
import type { ExportFlags } from '../actions/audit-export.ts';
import { adminCommand, examples } from '../command-options.ts';

const actions = () => import('../actions/audit-export.ts');

export function addAuditExportCommand(audit: Command): void {
  adminCommand(audit, 'export', 'write the audit log of a project, or a part of it, as JSON Lines')
    .option('--out <file>', 'mode 0600, replaced only when complete; stdout when left out')
    .option('--from <seq|time>', 'begin with this record, or with what happened then (ISO 8601)')
    .option('--to <seq|time>', 'end before this record, or before what happened then')
    .addHelpText(
      'after',
      examples(
        'permitry audit export --out audit.jsonl',
        'permitry audit export --from 2026-10-01 --to 2026-11-01 --out october.jsonl',
      ),
    )
    .action(async (flags: ExportFlags) => (await actions()).writeExport(flags));
}
