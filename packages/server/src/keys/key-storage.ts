import type { InstallationReader, InstallationWriter } from '../gate/installation/installation.ts';
import type { Storage } from '../gate/kernel/storage.ts';
import type { ProjectReader, ProjectWriter } from '../gate/projects/project.ts';
import type {
  SigningKeyRecordReader,
  SigningKeyRecordWriter,
} from '../gate/signing-keys/signing-key-record.ts';

/** The database functions that keys in rows need. */
export type KeyStorage = Pick<
  Storage<
    InstallationReader & ProjectReader & SigningKeyRecordReader,
    InstallationWriter & ProjectWriter & SigningKeyRecordWriter
  >,
  'read' | 'transaction'
>;
