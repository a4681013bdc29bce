import { Controller, Get, type INestApplication, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type Access, createGuard } from 'statehouse/guard';
import { Caller, nestGuard } from 'statehouse/guard/nestjs';

export function nestApi(issuer: string, resource: string): Promise<INestApplication> {
  const guard = createGuard({ issuer, resource, scopes: ['read', 'write'], name: 'Photos' });
  const { everyRoute, Requires, Public, metadata } = nestGuard(guard);

  @Controller()
  @Requires({ scopes: ['read'] })
  class Photos {
    @Get('photos')
    list(@Caller() { subject }: Access) {
      return { subject, photos: [] };
    }

    @Post('photos')
    @Requires({ scopes: ['write'] })
    add() {}

    @Get('status')
    @Public()
    status() {
      return { status: 'ok' };
    }
  }

  @Module({ controllers: [Photos] })
  class Api {}

  return NestFactory.create(Api, { logger: ['error'] }).then((app) => {
    app.use(metadata);
    return app.useGlobalGuards(everyRoute);
  });
}
