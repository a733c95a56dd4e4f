import { type DynamicModule, Module } from '@nestjs/common';
import { FleetFolder } from '#platform/fleet/folder/fleet-folder';
import { healthIndicator } from '#platform/telemetry/health-indicator';

@Module({})
class FleetFolderModule {}

/** The health of a fleet in files; the command starts and ends the folder itself. */
export const fleetFolderModule = (folder: FleetFolder): DynamicModule => ({
  module: FleetFolderModule,
  providers: [{ provide: FleetFolder, useValue: folder }, healthIndicator(FleetFolder, ({ check }) => check)],
});
