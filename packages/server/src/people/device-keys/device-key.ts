import type { DeviceKeyJwk } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';

/** A key pair in a file on a machine of a person, under a passphrase; here is its public half. */
export interface DeviceKey {
  /** `dvk_…`. */
  id: string;
  userId: string;
  /** RFC 7638 thumbprint; unique in the gate. */
  keyId: string;
  jwk: DeviceKeyJwk;
  name: string;
  createdAt: Instant;
  lastUsedAt: Instant | null;
}

export interface DeviceKeyReader {
  findDeviceKey(keyId: string): Promise<DeviceKey | undefined>;
  /** Oldest first. */
  listDeviceKeys(userId: string): Promise<readonly DeviceKey[]>;
}

export interface DeviceKeyWriter {
  /** False when the key is known already, whoever has it. */
  insertDeviceKey(key: DeviceKey): Promise<boolean>;
  /** Guard: it is this person's. */
  renameDeviceKey(userId: string, id: string, name: string): Promise<boolean>;
  /** Guard: it is this person's. */
  deleteDeviceKey(userId: string, id: string): Promise<boolean>;
  /** Guard: it is there still. */
  useDeviceKey(id: string, at: Instant): Promise<boolean>;
  deleteDeviceKeysOf(userId: string): Promise<void>;
}
